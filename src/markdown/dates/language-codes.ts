// The languages of Moment.js by their codes, to check a setting without their names.

const CODES: ReadonlySet<string> = new Set(
  `af am-et ar ar-dz ar-kw ar-ly ar-ma ar-ps ar-sa ar-tn az be bg bm bn bn-bd bo br bs ca cs cv cy da de de-at
    de-ch dv el en en-au en-ca en-gb en-ie en-il en-in en-nz en-sg eo es es-do es-mx es-us et eu fa fi fil fo fr
    fr-ca fr-ch fy ga gd gl gom-deva gom-latn gu he hi hr hu hy-am id is it it-ch ja jv ka kk km kn ko ku ku-kmr
    ky lb lo lt lv me mi mk ml mn mr ms ms-my mt my nb ne nl nl-be nn oc-lnc pa-in pl ps pt pt-br ro ru sd se si
    sk sl sq sr sr-cyrl ss sv sw ta te tet tg th tk tl-ph tlh tr tzl tzm tzm-latn ug-cn uk ur uz uz-latn vi
    x-pseudo yo zh-cn zh-hk zh-mo zh-tw`.split(/\s+/),
);

/** Codes that Obsidian's settings use and Moment.js names otherwise. */
const OTHERWISE: Readonly<Record<string, string>> = {
  zh: 'zh-cn',
  'zh-hans': 'zh-cn',
  'zh-hant': 'zh-tw',
  no: 'nb',
  pa: 'pa-in',
  hy: 'hy-am',
  ug: 'ug-cn',
  tl: 'tl-ph',
};

/** The code of the language in Moment.js, or of the language without its region; undefined for an unknown one. */
export function languageCode(language: string): string | undefined {
  const code = language.trim().toLowerCase().replaceAll('_', '-');
  const base = code.split('-')[0] ?? '';
  return [code, OTHERWISE[code], base, OTHERWISE[base]].find((each) => each !== undefined && CODES.has(each));
}
