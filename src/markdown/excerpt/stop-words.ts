// Lists stop words: words that say nothing about the topic of a text.
import { splitLines } from '../parse/lines.ts';
import { bodyStart, textAfterProperties } from '../properties/front-matter.ts';
import { withoutLinks } from './terms.ts';

const LISTS = [
  // English
  `a about above after again all also always am an and another any are as at away be because been before being below
  between both but by can cannot could did do does doing done down during each either else enough even ever every few
  for from further get gets got had has have having he her here hers herself him himself his how however i if in into is
  it its itself just least less let like made make many me might more most much must my myself neither never no nor not
  nothing now of off often on one only onto or other others our ours ourselves out over own per perhaps quite rather
  really same see seems shall she should since so some something soon still such take than that the their theirs them
  themselves then there these they thing things this those though through thus to together too toward towards under
  until up upon us use used uses using very via was way we were what when where whether which while who whole whom whose
  why will with within without would yes yet you your yours yourself yourselves don doesn didn isn aren wasn weren won
  ll re ve`,
  // German, without diacritics
  `aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bis bist da dabei dadurch dafur
  daher damit dann daran darauf das dass dazu dein dem denn der des deren dessen dich dies diese dieser diesem diesen
  dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch gegen gibt hab habe haben hatte hier
  hin hinter ich ihm ihn ihnen ihr ihre im immer in ins ist ja jede jeden jeder jedes jetzt kann kein keine konnen mehr
  mein meine mich mir mit muss nach nicht nichts noch nur ob oder ohne schon sehr sein seine seit sich sie sind so soll
  sollte sondern sonst uber um und uns unser unter viel vom von vor was weil wenn wer werden wie wieder wir wird wo zu
  zum zur zwischen`,
  // Words that also mean something in English are left out.
  // French, Spanish, Italian, Portuguese, Dutch, without diacritics
  `au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur lui mais meme mes moi mon ne
  nos notre nous on ou ont pas plus qu que qui sa sans se ses si sont sous ta te tes toi tu un une vos votre vous al
  algo como con cual cuando del desde donde el ella ellas ellos entre es esta este esto estos hay las lo los mi muy no o
  para pero poco por porque ser sobre su sus tambien tiene todo una uno y ya yo agli alla alle anche che chi ci cui da
  dal dalla degli dei della delle di gli ha hanno ho loro ma nei nel nella non per piu quello questa questo sono sul
  sulla tra ao aos as das do dos e ela ele em essa esse eu foi isso nao na nas nem pela pelo quando sao sem seu sua tem
  um uma aan als bij dan dat deze dit een er haar heb heeft het hij ik is kan maar meer mijn naar niet nog om onder ook
  op over tot uit voor waar was wat we wel werd wij ze zich zij zijn zo`,
];
/** Without pairs of characters. */
export const STOP_WORDS: ReadonlySet<string> = new Set(LISTS.join(' ').split(/\s+/));

/** Pairs of characters that only inflect or connect: Hiragana, Chinese particles, Korean endings. */
const JOINING =
  /^(?:\p{sc=Hiragana}{1,2}|.?[的了是在和也就都而及与與着或之这這那你我他她它们們吗嗎呢吧].?|합니|니다|습니|에서|으로|이다|있다|있는|하는|하고|하여|하지|하게|한다|했다|된다|되는|것이|것은|것을|입니|수있|그리|리고|그러|러나)$/u;

/** The first character of the scripts in which such pairs occur. */
const FIRST_JOINING = '\u2E80';

/** @param form a folded word, or two characters of a script without spaces */
export function isStopWord(form: string): boolean {
  return STOP_WORDS.has(form) || (form >= FIRST_JOINING && form.length < 3 && JOINING.test(form));
}

/** Characters that are compared. Of very long notes only the beginning, so that none takes long to split into words. */
export const MAX_COMPARED = 40_000;
/** More than the longest front matter. */
const MAX_HEAD = 70_000;

/** What of a note is compared. */
export function comparedText(text: string): string {
  return withoutLinks(textAfterProperties(comparedPart(text)));
}

/** The front matter and as much of the text as is compared. */
export function comparedPart(text: string): string {
  const head = text.slice(0, MAX_HEAD + MAX_COMPARED);
  return head.slice(0, bodyStart(head, splitLines(head)).bodyOffset + MAX_COMPARED);
}
