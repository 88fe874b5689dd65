// Places for what has no link: rings around everything else. Knows no graph.

const SPACING = 1.15;
const GAP = 1.6;
/** The few stand together below, where one sees that they are alone. */
const WIDEST_STEP = 1.9;

/** Two numbers each. Without anything inside, the rings fill a disc. @param inner where the others stand */
export function ringPlaces(count: number, inner: Float32Array): Float32Array {
  const places = new Float32Array(count * 2);
  let radius = inner.length === 0 ? 0 : reachOf(inner) + GAP;
  for (let placed = 0; placed < count; radius += SPACING) {
    const room = Math.max(1, Math.floor((2 * Math.PI * radius) / SPACING));
    const here = Math.min(room, count - placed);
    const step = Math.min((2 * Math.PI) / here, WIDEST_STEP / Math.max(radius, 1));
    for (let at = 0; at < here; at++, placed++) {
      const angle = (at - (here - 1) / 2) * step - Math.PI / 2;
      places.set([radius * Math.cos(angle), radius * Math.sin(angle)], placed * 2);
    }
  }
  return places;
}

function reachOf(places: Float32Array): number {
  let reach = 0;
  for (let at = 0; at < places.length; at += 2)
    reach = Math.max(reach, Math.hypot(places[at] ?? 0, places[at + 1] ?? 0));
  return reach;
}
