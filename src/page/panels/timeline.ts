// The timeline: shows only the notes dated up to the day of its slider.
import { part } from '../elements.ts';
import type { Reading } from '../reading.ts';

/** @returns turns the timeline on or off */
export function setUpTimeline({ view, model, notice }: Reading): () => void {
  const slider = part<HTMLInputElement>('until');
  /** The days of the notes, ascending, each once. */
  let days: readonly string[] = [];
  const turn = (): void => {
    const last = days.at(-1);
    if (last === undefined) notice.say('No note of this vault has a date.');
    else view.set({ until: view.get().until === undefined ? last : undefined });
  };
  const show = (): void => {
    const { until } = view.get();
    part('timeline').hidden = until === undefined;
    part('timeline-button').setAttribute('aria-pressed', String(until !== undefined));
    if (until === undefined) return;
    slider.max = String(Math.max(0, days.length - 1));
    slider.value = String(days.findLastIndex((day) => day <= until));
    slider.setAttribute('aria-valuetext', until);
    const notes = model()?.picture.notes ?? [];
    const count = notes.filter(({ date }) => date <= until).length;
    part('until-shown').textContent = until;
    part('until-count').textContent =
      `${count.toLocaleString('en')} of ${notes.length.toLocaleString('en')} notes, since ${days[0] ?? until}`;
  };
  slider.addEventListener('input', () => view.set({ until: days[Number(slider.value)] }));
  part('timeline-button').addEventListener('click', turn);
  part('timeline-close').addEventListener('click', () => {
    view.set({ until: undefined });
    part('timeline-button').focus();
  });
  document.addEventListener('graph', () => {
    const dates = (model()?.picture.notes ?? []).map(({ date }) => date);
    days = [...new Set(dates)].filter((date) => date !== '').sort();
    show();
  });
  view.listen((_state, changed) => {
    if (changed.has('until')) show();
  });
  return turn;
}
