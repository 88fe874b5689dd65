// Says whether a heading is that of a list of sources.
const SOURCES =
  /^(?:sources?|references?|bibliography|quellen(?:angaben)?|literatur(?:verzeichnis)?|fuentes|referencias|bibliograf[ií]a|références|bibliographie|fontes|referências|источники|литература|来源|參考|参考(?:文献|资料|資料)?|出典|참고 ?문헌|참고 ?자료|출처|المصادر|المراجع|स्रोत|संदर्भ)$/iu;

export const isSourceHeading = (heading: string): boolean => SOURCES.test(heading.replace(/[:：]$/, '').trim());
