import { type GlossaryFile, noteCodes, type ReadingNote } from '#server/formats/glossary-file.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { groupInSteps } from '#server/platform/threads/slices.ts';
import type { Conflict } from './glossary-conflicts.ts';
import type { NewEntry } from './sets.ts';
import type { Term } from './term-changes.ts';

/** Maximum number of warnings of a kind that are listed. */
const maxListed = 20;

/** A longer term is probably a sentence, which is rarely repeated in this form. In code points. */
const maxUsualLength = 100;

/**
 * The kinds of warnings of a preview: what the reader left out or changed, and
 * - `no_header`: the first row of the table was read as a term
 * - `ambiguous`: the file has another target for the same source
 * - `duplicate`: the file has the same term before
 * - `case_variant`: the file has the term before in another letter case, although letter case does not matter
 * - `same`: source and target are equal, and the term is neither forbidden nor marked as not translated
 * - `long`: a term of more than 100 characters
 * - `short`: a source of one letter or digit
 * - `common`: a source that is a common word, such as an article
 * - `every_pair`: a term without languages
 * - `conflict`: another glossary has another target for the same source
 */
export const lineWarningCodes = [
  'no_header',
  ...noteCodes,
  'ambiguous',
  'duplicate',
  'case_variant',
  'conflict',
  'same',
  'common',
  'short',
  'long',
  'every_pair',
] as const;

type Code = (typeof lineWarningCodes)[number];

/** A warning of a preview. */
interface LineWarning {
  code: Code;
  /** Null for a column, sheet or key. */
  line: number | null;
  place: string | null;
  source_term: string | null;
  target_term: string | null;
  other_target: string | null;
  other_set: string | null;
  name: string | null;
}

/**
 * Returns the first warnings of each kind, in the order of `lineWarningCodes` and of the file, and the number of all
 * warnings of each kind.
 * @yields undefined after each entry, so that a caller can let other requests run
 */
export function* lineWarnings(
  { hasHeader, notes }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
  conflicts: readonly Conflict[],
): Generator<undefined, { line_warnings: LineWarning[]; warning_counts: { code: Code; count: number }[] }> {
  const warnings = notes.map(aboutNote);
  if (!hasHeader && entries[0]) warnings.push(aboutEntry('no_header', entries[0]));
  for (const group of yield* sameSources(entries))
    for (const warning of repeated(group)) {
      warnings.push(warning);
      yield;
    }
  for (const { entry, target, setName } of conflicts)
    warnings.push({ ...aboutEntry('conflict', entry), other_target: target, other_set: setName });
  for (const entry of entries) {
    for (const [code, applies] of signs) if (applies(entry)) warnings.push(aboutEntry(code, entry));
    yield;
  }
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  const codes = lineWarningCodes.filter((code) => byCode.has(code));
  return {
    line_warnings: codes.flatMap((code) =>
      byCode
        .get(code)!
        .sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
        .slice(0, maxListed),
    ),
    warning_counts: codes.map((code) => ({ code, count: byCode.get(code)!.length })),
  };
}

const empty = {
  place: null,
  source_term: null,
  target_term: null,
  other_target: null,
  other_set: null,
  name: null,
};

function aboutEntry(code: Code, { line, place, sourceTerm, targetTerm }: NewEntry): LineWarning {
  return { ...empty, code, line, place: place ?? null, source_term: sourceTerm, target_term: targetTerm };
}

function aboutNote({ code, line, place, name }: ReadingNote): LineWarning {
  return { ...empty, code, line, place: place ?? null, name: name ?? null };
}

/** Returns warnings about entries with the same source. */
function* repeated(group: readonly NewEntry[]): Generator<LineWarning> {
  const [first, ...others] = group as [NewEntry, ...NewEntry[]];
  const another = group.find(({ targetTerm }) => targetTerm !== first.targetTerm)?.targetTerm;
  if (another !== undefined) {
    for (const entry of group) {
      const other_target = entry.targetTerm === first.targetTerm ? another : first.targetTerm;
      yield { ...aboutEntry('ambiguous', entry), other_target };
    }
    return;
  }
  const normal = normalForm(first.sourceTerm);
  for (const entry of others)
    yield aboutEntry(normalForm(entry.sourceTerm) === normal ? 'duplicate' : 'case_variant', entry);
}

/** The mistakes that a single entry shows. */
const signs: [code: Code, applies: (entry: NewEntry) => boolean][] = [
  ['same', isSame],
  ['common', isCommon],
  ['short', isShort],
  ['long', isLong],
  ['every_pair', isForEveryPair],
];

function isSame({ sourceTerm, targetTerm, doNotTranslate, status }: NewEntry): boolean {
  return !doNotTranslate && status !== 'forbidden' && normalForm(sourceTerm) === normalForm(targetTerm);
}

function isCommon({ sourceTerm, sourceLang, caseSensitive }: NewEntry): boolean {
  const term = normalForm(sourceTerm);
  const lower = term.toLowerCase();
  return (!caseSensitive || term === lower) && isCommonWord(lower, sourceLang);
}

/** Whether the source is a single letter or digit. A Chinese character can be a whole word. */
function isShort({ sourceTerm }: NewEntry): boolean {
  return /^[\p{L}\p{N}]$/u.test(sourceTerm) && !/\p{Script=Han}/u.test(sourceTerm);
}

function isLong({ sourceTerm, targetTerm }: NewEntry): boolean {
  return [sourceTerm, targetTerm].some(
    (term) => term.length > maxUsualLength && countCodePoints(term) > maxUsualLength,
  );
}

/**
 * The most frequent words of each language, which occur in almost every text: articles, pronouns, prepositions,
 * conjunctions, forms of "to be". As a term, such a word would be required in most translations.
 */
const words: Readonly<Record<string, string>> = {
  en: 'a about after all an and any are as at be been but by can do for from had has have he her his how i if in into is it its me more my no not now of on one or our out she so some than that the their them then there they this to up us was we were what when which who will with would you your',
  es: 'a al como con de del el ella en entre es esta este ha hay la las lo los más me mi muy no o para pero por que se si sin sobre son su sus también todo un una y ya',
  fr: 'a à au aux avec ce ces cette comme dans de des du elle en est et être il ils je la le les leur lui mais ne nous on ou où par pas plus pour qu que qui s sa se ses si son sont sur tout un une vous y',
  de: 'aber als am an auch auf aus bei bin bis da das dass dem den der des die durch ein eine einem einen einer es für hat ich ihr im in ist ja kann mit nach nicht noch nur oder sein sich sie sind so über um und uns von vor war was wenn wie wir wird zu zum zur',
  it: 'a ad al alla anche che chi ci come con da dal dei del della di e è ed gli ha i il in io la le lo ma mi nel nella non o per più se si sono su sua suo tra un una',
  pt: 'a ao as até com como da das de do dos e é ela ele em entre era eu foi há isso já mais mas me na não nas no nos o os ou para pela pelo por que se sem seu são sua também um uma',
  nl: 'aan als bij dan dat de deze die dit door een en er hebben het hij ik in is je kan maar met naar niet nog of om onder ook op over te tot uit van voor was wat we wel wij worden ze zich zijn',
  zh: '的 了 是 在 我 有 和 不 人 这 這 他 也 就 都 你 一 上 个 個 们 們',
  ja: 'の に は を た が で て と し れ さ も な こと ある いる する この その それ です ます',
  ko: '이 그 저 것 수 등 및 또는 그리고 있다 하다 있는 하는 않다 되다',
  ar: 'في من على إلى عن أن إن هذا هذه ذلك التي الذي هو هي لا ما لم كان و أو ثم قد كل مع',
  ru: 'а без бы был в во вы для до его ее ещё же за и из или их к как ко мы на не но о об он она они от по при с со так то только у что это я',
  hi: 'का के की में है और से को पर यह वह एक ने कि भी हैं था तो ही नहीं या जो',
  tr: 'bir bu ve da de için ile ne o mi mı ki gibi çok daha ama en var olan olarak her ya ben sen',
  vi: 'và của là có cho trong với các được không những một này đó khi để từ ra về',
  th: 'ที่ และ ใน เป็น ของ ได้ จะ มี ให้ ไม่ การ ว่า กับ นี้ จาก หรือ',
  id: 'yang dan di ke dari untuk dengan ini itu pada adalah tidak dalam akan atau juga oleh ada karena',
  pl: 'a ale bo być co czy dla do i ich jak jako jest już na nie o od oraz po pod przez przy się są ta tak te to tym w we z za ze że',
  uk: 'а але без би в ви від для до є за з зі і й із його як на не ні о по при про та те ти то у це що я',
  cs: 'a aby ale ani být co do i jako je jeho jsou k na nebo o od po pro při s se si ta tak to u v ve z za že',
  ro: 'a al ale am ar care ce cu de din este fi în la mai nu o pe pentru prin sau să se sunt și un una',
  hu: 'a az és egy hogy is nem van volt ez azt meg csak de ha mint vagy már el ki',
  el: 'ο η το οι τα του της των τον την και να σε με για από που είναι δεν ως στο στη ένα μια',
  sv: 'att av de den det du en ett för från ha han har i inte jag kan men med när och om på som till var vi är',
  da: 'af at de den der det du en er et for fra han har i ikke jeg kan med men og om på som til var vi',
  nb: 'at av de den det du en er et for fra han har i ikke jeg kan med men og om på som til var vi',
  fi: 'ei että hän ja jos joka kun me mutta myös ne niin oli olla on ovat se tai tämä',
  ms: 'yang dan di ke dari untuk dengan ini itu pada adalah tidak dalam akan atau juga oleh ada kerana',
  fa: 'و در به از که این را با است برای آن یک تا بر هم نیز یا',
  ur: 'کے کی کا میں ہے اور سے کو پر یہ وہ ایک نے کہ بھی ہیں تھا تو نہیں یا',
  mr: 'आहे आणि या हे ते तो ती की व हा ही एक नाही होते साठी',
  ne: 'र को मा छ हो यो त्यो ले लाई पनि एक गर्न भएको छन्',
};

const sets = new Map<string, ReadonlySet<string>>();

/**
 * Whether a word is one of the most frequent words of a language.
 *
 * @param word in lower case
 * @param language the code of a supported language; '' for any language, for which the result is false
 */
function isCommonWord(word: string, language: string): boolean {
  const base = language.split('-', 1)[0]!;
  let set = sets.get(base);
  if (!set) {
    set = new Set((words[base] ?? '').normalize('NFC').split(' '));
    sets.set(base, set);
  }
  return word !== '' && set.has(word);
}

/** A key that is equal for terms that match the same texts: of the same languages and case rule, with the same source. */
export function sourceKey({
  sourceLang,
  targetLang,
  caseSensitive,
  sourceTerm,
}: Pick<Term, 'sourceLang' | 'targetLang' | 'caseSensitive' | 'sourceTerm'>): string {
  const normal = normalForm(sourceTerm);
  return `${sourceLang} ${targetLang} ${caseSensitive} ${caseSensitive ? normal : normal.toLowerCase()}`;
}

/**
 * Returns the preferred entries that match the same texts as another one of the file, in groups. Yields after each
 * entry. Allowed and forbidden targets are meant to have the source of another entry.
 */
export function* sameSources(entries: readonly NewEntry[]): Generator<undefined, NewEntry[][]> {
  const preferred = entries.filter(({ status }) => (status ?? 'preferred') === 'preferred');
  const groups = yield* groupInSteps(preferred, sourceKey);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Whether the entries of a group have different targets. */
export function isAmbiguous(group: readonly NewEntry[]): boolean {
  return new Set(group.map(({ targetTerm }) => targetTerm)).size > 1;
}

export function isForEveryPair({ sourceLang, targetLang }: NewEntry): boolean {
  return sourceLang === '' && targetLang === '';
}
