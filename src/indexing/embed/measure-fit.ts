// Measures whether an embedding model suits the notes: whether sentences find the notes that they are from.
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { dotProduct } from '../../contracts/fingerprint.ts';
import type { ModelFit } from '../../contracts/model-fit.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { isEnglish } from '../../markdown/excerpt/languages.ts';
import { sampleSentence } from '../../markdown/excerpt/sentence.ts';
import { decodeText } from '../../markdown/parse/lines.ts';

const SENTENCES = 50;
/** With fewer notes a sentence finds its own by chance. */
const MIN_NOTES = 20;
/** Notes that are read: some have no sentence. */
const READ_NOTES = 100;
/** A sentence finds its note if that is among so many first hits: notes on one subject have similar sentences. */
const FOUND_WITHIN = 3;
/** Sentences in one request. */
const REQUEST = 10;
/** No request begins later. */
const MAX_MEASURE_MS = 20_000;
/** Where no user waits: without a result the languages of a slow model would stay unknown to `search`. */
export const MAX_MEASURE_MS_OF_JOB = 60_000;

export interface FitParts {
  readonly provider: EmbeddingProvider;
  readonly generation: Generation;
  readonly store: Store;
  readonly vault: Vault;
  /** A new call for each request. */
  readonly begin: () => ProviderCall;
}

/**
 * Undefined for a vault with too few notes or sentences. Always the same sentences as long as the notes are the same.
 * @throws PROVIDER_*, EGRESS_BLOCKED, the store's errors, the signal's reason
 */
export async function measureFit(
  parts: FitParts,
  signal: AbortSignal,
  maxMs = MAX_MEASURE_MS,
): Promise<ModelFit | undefined> {
  const sentences = await sampleSentences(parts, signal);
  if (sentences.length < MIN_NOTES) return undefined;
  const until = performance.now() + maxMs;
  const translated = await findTranslations(parts.provider, parts.begin, until - maxMs / 2, signal);
  const shares: number[] = [];
  let [found, at] = [0, 0];
  for (; at < sentences.length && performance.now() < until; at += REQUEST) {
    const some = sentences.slice(at, at + REQUEST);
    const call = parts.begin();
    found += await foundAmong(some, call, parts, signal);
    if (call.trace.unknownShare !== undefined) shares.push(call.trace.unknownShare);
  }
  const searched = Math.min(at, sentences.length);
  if (searched < MIN_NOTES) return undefined;
  const unknown = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return {
    measured_at: new Date().toISOString(),
    sentences: searched,
    found,
    ...(shares.length > 0 && { unknown_tokens: unknown }),
    english: isEnglish(sentences.map(({ text }) => text).join(' ')),
    notes: parts.generation.embedded,
    ...translated,
  };
}

interface Sentence {
  readonly path: NotePath;
  readonly text: string;
}

/** One of each of the notes that are evenly spread over the paths. */
async function sampleSentences({ store, vault }: FitParts, signal: AbortSignal): Promise<readonly Sentence[]> {
  const names = (await store.names(signal)).filter(({ path }) => fileKindOf(path) === 'note');
  if (names.length < MIN_NOTES) return [];
  const paths = spread(names, READ_NOTES).map(({ path }) => path);
  const { succeeded } = await vault.read(paths, signal);
  const sentences: Sentence[] = [];
  for (const { id, result } of succeeded) {
    const text = sampleSentence(decodeText(result.bytes).text);
    if (text !== undefined) sentences.push({ path: id as NotePath, text });
    await letOthersRun();
  }
  return spread(sentences, SENTENCES);
}

function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)] as T);
}

/** How many of the sentences have their own note among the first hits; one that the model cannot embed has none. */
async function foundAmong(
  sentences: readonly Sentence[],
  call: ProviderCall,
  { provider, generation, store }: FitParts,
  signal: AbortSignal,
): Promise<number> {
  const inputs = sentences.map(({ path, text }) => ({ id: path, text }));
  const { succeeded } = await provider.embed(inputs, 'query', call, signal);
  let hits = 0;
  for (const { id, result } of succeeded) {
    const nearest = await store.nearestChunks(generation.id, result, {}, FOUND_WITHIN, signal);
    if (nearest.some(({ path }) => path === id)) hits += 1;
  }
  return hits;
}

export const ENGLISH: readonly string[] = [
  ...SAMPLE_SENTENCES,
  'The doctor told him to sleep more and drink less.',
  'Bread is made of flour, water and salt.',
  'The war began because two kings wanted the same land.',
];

/** The same in languages of five scripts, without names and numbers, by which a model would know them. */
export const TRANSLATIONS: readonly (readonly string[])[] = [
  [
    'El puerto está tranquilo antes de la marea de la mañana.',
    'Una lista de números fue ordenada de menor a mayor.',
    'Ella plantó judías junto al muro sur del jardín.',
    'El médico le dijo que durmiera más y bebiera menos.',
    'El pan se hace con harina, agua y sal.',
    'La guerra empezó porque dos reyes querían la misma tierra.',
  ],
  [
    'Гавань спокойна перед утренним приливом.',
    'Список чисел был упорядочен от меньших к большим.',
    'Она посадила бобы вдоль южной стены сада.',
    'Врач велел ему больше спать и меньше пить.',
    'Хлеб делают из муки, воды и соли.',
    'Война началась, потому что два короля хотели одну и ту же землю.',
  ],
  [
    'الميناء هادئ قبل مد الصباح.',
    'تم ترتيب قائمة الأرقام من الصغير إلى الكبير.',
    'زرعت الفول على طول الجدار الجنوبي للحديقة.',
    'قال له الطبيب أن ينام أكثر ويشرب أقل.',
    'يصنع الخبز من الدقيق والماء والملح.',
    'بدأت الحرب لأن ملكين أرادا الأرض نفسها.',
  ],
  [
    'सुबह के ज्वार से पहले बंदरगाह शांत है।',
    'संख्याओं की सूची को छोटी से बड़ी के क्रम में रखा गया।',
    'उसने बगीचे की दक्षिणी दीवार के साथ सेम लगाई।',
    'डॉक्टर ने उसे अधिक सोने और कम पीने को कहा।',
    'रोटी आटे, पानी और नमक से बनती है।',
    'युद्ध इसलिए शुरू हुआ क्योंकि दो राजा एक ही ज़मीन चाहते थे।',
  ],
  [
    '早潮来临之前，港口一片宁静。',
    '一列数字从小到大排好了顺序。',
    '她沿着花园的南墙种了豆子。',
    '医生让他多睡觉，少喝酒。',
    '面包是用面粉、水和盐做的。',
    '战争爆发是因为两个国王想要同一块土地。',
  ],
  [
    'Bến cảng yên tĩnh trước khi thủy triều buổi sáng lên.',
    'Một danh sách các con số được sắp xếp từ nhỏ đến lớn.',
    'Cô ấy trồng đậu dọc theo bức tường phía nam của khu vườn.',
    'Bác sĩ bảo anh ấy ngủ nhiều hơn và uống ít đi.',
    'Bánh mì được làm từ bột, nước và muối.',
    'Chiến tranh bắt đầu vì hai vị vua muốn cùng một vùng đất.',
  ],
];

/**
 * How many translations were embedded, and how many of them are nearest to their own sentence; a request for each language.
 * @param until no request begins later, as `performance.now()`
 * @throws PROVIDER_*, EGRESS_BLOCKED, the signal's reason
 */
async function findTranslations(
  provider: EmbeddingProvider,
  begin: () => ProviderCall,
  until: number,
  signal: AbortSignal,
): Promise<Pick<ModelFit, 'translations' | 'translations_found'>> {
  const embed = async (texts: readonly string[], purpose: 'document' | 'query') => {
    const inputs = texts.map((text, at) => ({ id: `${at}`, text, title: '' }));
    return (await provider.embed(inputs, purpose, begin(), signal)).succeeded;
  };
  const english = await embed(ENGLISH, 'document');
  let [translations, found] = [0, 0];
  for (const sentences of TRANSLATIONS) {
    if (performance.now() >= until) break;
    for (const { id, result } of await embed(sentences, 'query')) if (nearestTo(result, english) === id) found += 1;
    translations += sentences.length;
  }
  return { translations, translations_found: found };
}

function nearestTo(vector: Float32Array, all: Embedded): string | undefined {
  const cosines = all.map(({ id, result }) => ({ id, cosine: dotProduct(vector, result) }));
  return cosines.sort((one, other) => other.cosine - one.cosine)[0]?.id;
}

type Embedded = Awaited<ReturnType<EmbeddingProvider['embed']>>['succeeded'];
