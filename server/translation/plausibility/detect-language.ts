import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { identify } from './language.ts';
import { countLetters, countStandards, letterWeight, type Script, scriptsOf } from './script.ts';
import { readable, withoutCode, word } from './text-pair.ts';

/**
 * The language of a text with a confidence from 0 to 1. If it is unclear: the possible languages, the likeliest first.
 */
type Detection =
  | { language: LanguageCode; confidence: number }
  | { language: null; candidates: LanguageCode[] };

/** UTF-16 units of one window, and of all windows together. The windows are spread over the text. */
const windowLength = 600;
const maxWindows = 4;

/** Minimum number of letters, by weight. A text with fewer has no main script. */
const minLetters = 4;

/**
 * The share of the letters that a script must have to be the script of the text. It is lower for other scripts than
 * Latin, because names and code in Latin letters are common in them.
 */
const mainShare = { latin: 0.7, other: 0.4 } as const;

/** Scripts that only one supported language uses. */
const onlyLanguage: Partial<Record<Script, LanguageCode>> = { Greek: 'el', Thai: 'th', Hangul: 'ko' };

const patterns: Partial<Record<Script, RegExp>> = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Arabic: /\p{Script=Arabic}/u,
  Devanagari: /\p{Script=Devanagari}/u,
};

/** The confidence if the script alone determines the language. */
const byScript = 0.99;

/**
 * Detects the supported language of a text. Only a clear result counts: a text that is too short, in several languages,
 * or in an unsupported language has no result. Varieties of a language cannot be distinguished, except those of
 * Chinese, by their characters: French is `fr`, Portuguese `pt-BR`, Norwegian `nb`.
 *
 * Accepts any string; reads a few thousand characters.
 */
export function detectLanguage(text: string): Detection {
  const sample = withoutCode(readable(sampleOf(text)).replace(syntax, ' '));
  const script = mainScript(sample);
  if (script === undefined) return undecided([]);
  if (script === 'Han') return detectHan(sample);
  const only = onlyLanguage[script];
  if (only) return { language: only, confidence: byScript };
  const pattern = patterns[script];
  const words = (sample.match(word) ?? []).filter((one) => pattern?.test(one));
  return detectByWords(
    words.map((one) => one.toLowerCase()),
    script,
  );
}

/** Tags, and the syntax of messages with branches: both consist of English words. */
const syntax =
  /<[^<>]{0,1000}>|,\s*(?:plural|select|selectordinal|number|date|time)\s*[,}]|[\s}](?:zero|one|two|few|many|other|yes|no)\s*(?=\{)/g;

const undecided = (candidates: LanguageCode[]): Detection => ({ language: null, candidates });

/** Returns pieces from the whole text, together at most a few thousand characters. */
export function sampleOf(text: string): string {
  if (text.length <= windowLength * maxWindows) return text;
  const step = (text.length - windowLength) / (maxWindows - 1);
  return Array.from({ length: maxWindows }, (_, at) => {
    const start = Math.round(at * step);
    return text.slice(start, start + windowLength);
  }).join('\n');
}

/**
 * Returns the main script of a text; `Han` for Japanese too. Undefined if the text has too few letters, or several
 * scripts.
 */
function mainScript(sample: string): Script | undefined {
  const counts = countLetters(sample);
  const weighed = new Map<Script, number>();
  let all = 0;
  for (const [script, count] of Object.entries(counts) as [Script, number][]) {
    const weight = count * letterWeight(script);
    const name = script === 'Kana' ? 'Han' : script;
    weighed.set(name, (weighed.get(name) ?? 0) + weight);
    all += weight;
  }
  const [main, weight] = [...weighed].toSorted((one, other) => other[1] - one[1])[0]!;
  const other = [...weighed].find(
    ([script, amount]) => script !== 'Latin' && amount >= mainShare.other * all,
  );
  const found = main === 'Latin' && other ? other : ([main, weight] as const);
  if (found[1] < minLetters) return undefined;
  return found[0] === 'Latin' && weight < mainShare.latin * all ? undefined : found[0];
}

/** With this many Han characters and no kana, a text is not a Japanese name or heading. */
const minHan = 8;

/** The characters of one Chinese writing system must outnumber those of the other by this factor. */
const outnumbered = 4;

/** Detects Japanese by kana, and Chinese by the characters that exist in only one of its writing systems. */
function detectHan(sample: string): Detection {
  const { Kana: kana, Han: han } = countLetters(sample);
  if (kana >= 2 && 20 * kana >= han) return { language: 'ja', confidence: byScript };
  const { hans, hant } = countStandards(sample);
  const variants: LanguageCode[] = hant > hans ? ['zh-Hant', 'zh-Hans'] : ['zh-Hans', 'zh-Hant'];
  if (han < minHan) return undecided([...variants, 'ja']);
  const [most, least] = [Math.max(hans, hant), Math.min(hans, hant)];
  if (most === 0 || most < outnumbered * least) return undecided(variants);
  return { language: variants[0]!, confidence: byScript };
}
/**
 * The required lead of the best language over the next one, depending on the number of letters. With real sentences
 * (`detect-language.test.ts`), these margins hardly ever give a wrong result.
 */
const margins = [
  { below: 12, margin: Infinity },
  { below: 20, margin: 0.2 },
  { below: 30, margin: 0.06 },
  { below: Infinity, margin: 0.01 },
] as const;

/** The share of a text that must be in the detected language: a bilingual text has no language. */
const ownShare = 0.6;

/** Maximum number of possible languages that are returned if none is clear. */
const maxCandidates = 3;

/** The required lead of the best language over its siblings, if no word distinguishes them. */
const siblingMargin = 0.1;

/** Sibling languages that profiles cannot distinguish at all. */
const alike: ReadonlySet<string> = new Set(['id', 'ms']);

/**
 * Returns the language of words in one script, by language profiles and by words that only one of the sibling languages
 * uses.
 */
function detectByWords(words: readonly string[], script: Script): Detection {
  const { ranking, ownLetters, letters } = rank(words);
  const [best, second] = ranking;
  if (!best) return undecided([]);
  const counts = [...(countSiblingWords(best.language, words) ?? [])].toSorted(([, a], [, b]) => b - a);
  const siblings = counts.map(([language]) => language);
  const ahead = counts.length === 0 ? Infinity : counts[0]![1] - counts[1]![1];
  const language = ahead > 0 ? (counts[0]?.[0] ?? best.language) : best.language;
  const next = ranking.find((one) => one !== best && !siblings.includes(one.language));
  const margin = best.score - (next?.score ?? 0);
  const isClear =
    margin >= margins.find(({ below }) => letters < below)!.margin &&
    ownLetters >= ownShare * letters &&
    (ahead > 0 || (!alike.has(language) && best.score - (second?.score ?? 0) >= siblingMargin));
  if (!isClear || !isSupported(language)) {
    const likely = [...siblings, ...ranking.map(({ language: one }) => one)]
      .filter(isSupported)
      .filter((one) => scriptsOf(one).includes(script));
    return undecided([...new Set(likely)].slice(0, maxCandidates));
  }
  // Without any evidence, the doubt is 0.5; each letter and each distinctive word reduces it.
  const doubt = Math.max(Math.exp(-margin * letters), Math.exp(-1.5 * Math.max(ahead, 1))) / 2;
  return { language, confidence: Math.min(byScript, Math.round(100 * (1 - doubt)) / 100) };
}

const supported: ReadonlySet<string> = new Set(languageCodes);

function isSupported(language: string): language is LanguageCode {
  return supported.has(language);
}

interface Ranking {
  /**
   * How well each language fits, best first. `language` is the service's code or, for an unsupported language, its ISO
   * 639-1 code.
   */
  ranking: { language: string; score: number }[];
  letters: number;
  /**
   * The number of letters in pieces that fit the best language, or one of its siblings, better than all other
   * languages.
   */
  ownLetters: number;
}

function rank(words: readonly string[]): Ranking {
  const sums = new Map<string, number>();
  const wins = new Map<string, number>();
  let letters = 0;
  for (const text of piecesOf(words)) {
    const length = text.replaceAll(' ', '').length;
    letters += length;
    let best: [language: string, score: number] = ['', 0];
    for (const [code, score] of Object.entries(identify(text))) {
      const language = codes.get(code) ?? code;
      sums.set(language, (sums.get(language) ?? 0) + score * length);
      if (score > best[1]) best = [language, score];
    }
    wins.set(best[0], (wins.get(best[0]) ?? 0) + length);
  }
  const ranking = [...sums]
    .map(([language, sum]) => ({ language, score: sum / letters }))
    .toSorted((one, other) => other.score - one.score);
  const family = countSiblingWords(ranking[0]?.language ?? '', []) ?? new Map([[ranking[0]?.language, 0]]);
  const own = [...wins].filter(([language]) => family.has(language));
  return { ranking, letters, ownLetters: own.reduce((sum, [, won]) => sum + won, 0) };
}

/** The service's languages, by the codes of the language identification library. */
const codes: ReadonlyMap<string, LanguageCode> = new Map([
  ['no', 'nb'],
  ['pt', 'pt-BR'],
]);

/** UTF-16 units of a piece: about a sentence, so that each language of a bilingual text has its own pieces. */
const pieceLength = 80;

function* piecesOf(words: readonly string[]): Generator<string> {
  let piece = '';
  for (const one of words) {
    if (piece !== '' && piece.length + one.length > pieceLength) {
      yield piece;
      piece = '';
    }
    piece += piece === '' ? one : ` ${one}`;
  }
  if (piece !== '') yield piece;
}

/**
 * Groups of languages that profiles cannot distinguish, because they have too many letters and syllables in common. For
 * each language, frequent words that no other language of the group has; in lower case and NFC.
 */
const siblings: readonly Partial<Record<LanguageCode, string>>[] = [
  {
    da: 'af hvad noget nogen nogle blev bliver mere efter uden mellem sig dig mig nu op ud ind kun meget måske arbejde gøre gør gemme tilføj frihed sikkerhed mulighed imod børn igen tilbage indhold nødvendigt kunne skulle hjælp ret',
    nb: 'å av hva noe noen ble blir mer etter uten mellom seg deg meg nå opp ut inn bare veldig kanskje arbeid gjøre gjør lagre frihet sikkerhet mulighet mot barn igjen tilbake innhold nødvendig hjelp rett',
  },
  {
    id: 'bahwa karena bisa sedangkan namun lainnya berbagai perusahaan pengadilan hukum silakan unduh unggah tautan hapus perangkat layar pesan uang mobil kantor kapan harus memperoleh mendapat pemerintah gunakan aktifkan coba baca kamu kalian berkas tentang pernyataan pria serikat pikiran standar kualitas aktivitas fasilitas universitas identitas telepon tanggal kota polisi kamar gratis toko sulit paham libur kemarin informasi saja agar anggota negerinya warga sewenang semena mendirikan dewasa penghidupan jaminan melakukan',
    ms: 'bahawa kerana manakala ialah hendaklah pelbagai syarikat mahkamah sila muat pautan padam peranti skrin mesej wang kereta pejabat daripada sesiapa sebarang kerajaan semasa bagi mahu awak tiada samada perkara cuba kepada antarabangsa kesalahan pelajaran fail lelaki fikiran kualiti aktiviti kemudahan universiti identiti telefon tarikh bandar polis bilik percuma kedai sukar faham cuti kelmarin maklumat sahaja apabila ahli puan hendak mestilah selepas amat ramai baharu',
  },
  {
    hi: 'है हैं और में से नहीं का की के को यह वह कि इस लिए किसी भी था थे थी कर करें करने किया अपने उसे जो होगा रूप सकता सकते आप आपके पर ने गया जा जाएगा सभी कोई',
    mr: 'आहे आहेत आणि नाही किंवा हे ही हा असे पाहिजे नये त्याच्या त्यांच्या यांच्या आपल्या करण्यात करण्याचा करण्यासाठी येईल साठी तसेच अशा झाला केले केली होईल तुम्ही तुमच्या करा नका ते त्या ज्या करून म्हणून',
    ne: 'र छ छन् छैन गर्न गर्ने गर्नु भएको हुनेछ हुने वा पनि यस त्यस आफ्नो गरी गरेको सबै कुनै लागि लाई मा ले बाट भन्ने उसको गर्नुहोस् तपाईं तपाईंको थियो गरिएको भने जस्तो व्यक्तिलाई यो',
  },
  {
    ar: 'في من على إلى أن أو هذا هذه التي الذي لا ما كل عن مع لكل غير ذلك كان أي',
    fa: 'که در از را با است این آن برای باید خود هر شود کند می های بر تا او همه شده دارد نمی کنید',
    ur: 'اور کے کی کا کو ہے میں سے اس پر ہیں نہیں یہ وہ کسی کرنے لیے لئے گا گی ہو بھی جو کہ آپ نے کریں',
  },
];

const sets: readonly ReadonlyMap<string, ReadonlySet<string>>[] = siblings.map(
  (group) => new Map(Object.entries(group).map(([language, words]) => [language, new Set(words.split(' '))])),
);

/**
 * For each language in the group of `language`, returns the number of `words` that only this language has; undefined if
 * `language` is in no group.
 */
function countSiblingWords(language: string, words: readonly string[]): Map<string, number> | undefined {
  const group = sets.find((languages) => languages.has(language));
  return (
    group &&
    new Map([...group].map(([one, listed]) => [one, words.filter((word) => listed.has(word)).length]))
  );
}
