// Writes a TeX formula as MathML, which needs no fonts and no styles.
import katex from 'katex';

/** Keeps a formula from growing without end. */
const MAX_EXPANSIONS = 500;

/** @throws katex.ParseError if the formula is not valid */
export function mathml(tex: string, isBlock: boolean): string {
  return katex.renderToString(tex, {
    output: 'mathml',
    displayMode: isBlock,
    throwOnError: true,
    trust: false,
    strict: 'ignore',
    maxExpand: MAX_EXPANSIONS,
  });
}
