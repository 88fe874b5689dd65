// Finds in a statement the word that says in which state its subject is, in the ten languages with the most writers and German.
import { foldText } from '../excerpt/fold-text.ts';

export interface StateWord {
  /** The kind: only one of two states of a kind can be true. */
  readonly of: 'progress' | 'decision' | 'access' | 'switch';
  readonly value: string;
  /** The word, folded; in a script without spaces as it is written. */
  readonly word: string;
}

/** The beginnings of words, which end with up to two more letters; with `=` whole words. */
const STATES: Readonly<Record<StateWord['of'], Readonly<Record<string, string>>>> = {
  progress: {
    done: '=done finished completed concluded =fertig abgeschlossen =fertiggestellt =beendet termine acheve terminad completad concluid finalizad завершен окончен 完成 已完成 完了 終了 =पूरा =पूरी =पूरे पूर्ण مكتمل منجز منته সম্পন্ন selesai rampung مکمل',
    cancelled:
      'cancelled canceled abandoned abgebrochen abgesagt eingestellt annule abandonne cancelad anulad abandonad отменен прекращен 取消 已取消 中止 रद्द ملغ বাতিল dibatalkan منسوخ',
    paused:
      'paused postponed suspended pausiert verschoben unterbrochen suspendu =reporte =reportee =reportes pausad suspendid aplazad adiad приостановлен отложен 暂停 推迟 延期 保留中 स्थगित مؤجل স্থগিত ditunda ملتوی',
    planned:
      'planned geplant prevu planifie planead planificad planejad previst запланирован 计划中 筹备中 計画中 予定されて नियोजित مخطط পরিকল্পিত direncanakan',
  },
  decision: {
    yes: 'approved accepted genehmigt bewilligt angenommen approuve accepte aprobad aceptad aprovad aceit одобрен принят 批准 已通过 承認 採用 स्वीकृत অনুমোদিত disetujui منظور',
    no: 'rejected declined abgelehnt zuruckgewiesen rejete refuse rechazad rejeitad recusad отклонен отвергнут 拒绝 否决 却下 不採用 अस्वीकृत مرفوض প্রত্যাখ্যাত ditolak مسترد',
  },
  access: {
    open: '=open =geoffnet =offen =ouvert =ouverte =ouverts =ouvertes abiert =aberto =aberta =abertos =abertas =открыт =открыта =открыто =открыты 开放 開放 営業中 =खुला =खुली =खुले =مفتوح =مفتوحة =খোলা =terbuka =کھلا =کھلی',
    closed:
      '=closed =geschlossen =ferme =fermee =fermes =fermees cerrad fechad =закрыт =закрыта =закрыто =закрыты 关闭 關閉 閉鎖 休業 =बंद =مغلق =مغلقة =বন্ধ =tertutup =ditutup =بند',
  },
  switch: {
    on: '=enabled =activated aktiviert eingeschaltet =active =activee activad ativad =включен =включена =включено =включены 启用 有効 सक्षम مفعل সক্রিয় diaktifkan',
    off: '=disabled =deactivated deaktiviert ausgeschaltet abgeschaltet desactive desactivad desativad выключен отключен 禁用 停用 無効 अक्षम معطل নিষ্ক্রিয় dinonaktifkan',
  },
};

const MAX_ENDING = 2;
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;

type Known = Omit<StateWord, 'word'>;

const whole = new Map<string, Known>();
const beginnings = new Map<string, Known>();
const within: (readonly [word: string, state: Known])[] = [];
for (const of of Object.keys(STATES) as StateWord['of'][])
  for (const [value, words] of Object.entries(STATES[of]))
    for (const word of words.split(' ')) {
      if (UNSPACED.test(word)) within.push([word, { of, value }]);
      else (word.startsWith('=') ? whole : beginnings).set(foldText(word.replace('=', '')), { of, value });
    }

/** Verbs beside the word, which say only when it came to be so. */
const AUXILIARIES = new Set(
  [
    'been being got gets became wurde wurden worden war waren wird werden bleibt fue fueron sido sera quedo esta estaba',
    'foi foram ficou estava ete etait etaient был была было были будет стал गया गई गए हुआ हुई चुका चुकी تم كان كانت হয়েছে telah sudah',
  ]
    .join(' ')
    .split(' ')
    .map(foldText),
);

export const isAuxiliary = (form: string): boolean => AUXILIARIES.has(form);

/** Undefined for a statement without one, and for one with several, as of a change. @param words of the text, folded */
export function stateWordIn(text: string, words: readonly string[]): StateWord | undefined {
  const said = words.flatMap((word) => knownAs(word) ?? []);
  const inside = UNSPACED.test(text) ? within.filter(([word]) => text.includes(word)) : [];
  const all = [...said, ...inside.map(([word, state]) => ({ ...state, word }))];
  const [first] = all;
  const isOne = all.every(({ of, value }) => of === first?.of && value === first.value);
  // The longest has the others in it, as 已完成 has 完成.
  return isOne ? all.toSorted((one, other) => other.word.length - one.word.length)[0] : undefined;
}

function knownAs(word: string): StateWord | undefined {
  const state = whole.get(word) ?? beginningOf(word);
  return state && { ...state, word };
}

function beginningOf(word: string): Known | undefined {
  for (let length = word.length; length >= word.length - MAX_ENDING && length > 2; length -= 1) {
    const state = beginnings.get(word.slice(0, length));
    if (state !== undefined) return state;
  }
  return undefined;
}
