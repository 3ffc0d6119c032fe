import table from './spelled-numbers.json' with { type: 'json' };

interface Form {
  value: number;
  /** Its words after the first. */
  rest: string[];
  /** Whether the last word may go on: `siebzehn` in "siebzehnte". */
  isOpen: boolean;
}

interface Spellings {
  /** By the first word of the form. */
  forms: Map<string, Form[]>;
  longestWord: number;
}

const encoded: Record<string, string> = table;
const read = new Map<string, Spellings>();

function spellingsOf(lang: string): Spellings | undefined {
  const known = read.get(lang);
  if (known !== undefined || encoded[lang] === undefined) return known;
  const forms = new Map<string, Form[]>();
  for (const entry of encoded[lang].split(';')) {
    const [value, spelled] = entry.split(' ') as [string, string];
    for (const form of spelled.split(',')) {
      const [first, ...rest] = form.replace('*', '').split('+') as [string, ...string[]];
      const own = forms.get(first) ?? [];
      own.push({ value: Number(value), rest, isOpen: form.endsWith('*') });
      forms.set(first, own);
    }
  }
  const spellings = { forms, longestWord: Math.max(...[...forms.keys()].map(({ length }) => length)) };
  read.set(lang, spellings);
  return spellings;
}

/** Letters that an ending has at most. */
const longestEnding = 6;
const longestConnective = 3;

/** Combining marks and signs that a word has or has not: vowels of Arabic, joiners, soft hyphens, marks of direction. */
const unwritten = /[\u00ad\u061c\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `text` in lower case without what its words may be written without. */
export const plainLetters = (text: string): string => text.toLowerCase().replace(unwritten, '');

function wordsOf(text: string, lang: string): string[] {
  const plain = plainLetters(text);
  if (lang === 'uk') return plain.replace(/['’]/g, 'ʼ').match(/[\p{L}\p{M}ʼ]+/gu) ?? [];
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (lang === 'ro') return words.map((word) => word.replaceAll('ş', 'ș').replaceAll('ţ', 'ț'));
  // "and", "in", "for" and the article are written on to an Arabic word.
  if (lang !== 'ar') return words;
  return words.map((word) => word.replace(/[أإآ]/g, 'ا').replace(/^(?:[وفبك]?ال|لل|و)(?=..)/, ''));
}

/** The forms that begin with the word at `i`: how many words they take, and what they say. */
function formsAt(words: readonly string[], i: number, { forms, longestWord }: Spellings): [number, number][] {
  const word = words[i]!;
  const found: [number, number][] = [];
  for (let length = Math.min(word.length, longestWord); length > 0; length -= 1) {
    if (word.length - length > longestEnding) break;
    for (const { value, rest, isOpen } of forms.get(word.slice(0, length)) ?? []) {
      if (length < word.length && !(isOpen && rest.length === 0)) continue;
      if (
        rest.every(
          (next, k) =>
            words[i + 1 + k] === next ||
            (isOpen && k === rest.length - 1 && words[i + 1 + k]?.startsWith(next)),
        )
      ) {
        found.push([1 + rest.length, value]);
      }
    }
    // "siebzehnte" is no seven.
    if (found.length > 0) break;
  }
  return found;
}

const isTen = (value: number): boolean => value % 10 === 0 && value < 100;

/** "двадцать первый", "واحد وعشرون", "vingt et un": a ten and one to nine, in either order, one short word between. */
function composedAt(words: readonly string[], i: number, spellings: Spellings): [number, number] | undefined {
  const first = formsAt(words, i, spellings).filter(([count]) => count === 1);
  if (first.length === 0) return undefined;
  for (const step of [1, 2]) {
    if (step === 2 && !((words[i + 1]?.length ?? 9) <= longestConnective)) return undefined;
    if (i + step >= words.length) return undefined;
    for (const [count, second] of formsAt(words, i + step, spellings)) {
      const match = first.find(([, value]) => isTen(value) !== isTen(second) && Math.min(value, second) < 10);
      if (count === 1 && match !== undefined && isTen(Math.max(match[1], second)))
        return [step + 1, match[1] + second];
    }
  }
  return undefined;
}

/**
 * Which of 13 to 100 a text writes in words of its language, cardinals and ordinals. None for Chinese and Japanese,
 * whose numerals are signs.
 */
export function spelledNumbers(text: string, lang: string): Set<number> {
  const base = lang.split('-')[0]!;
  const spellings = spellingsOf(base);
  const values = new Set<number>();
  if (spellings === undefined) return values;
  if (base === 'th') {
    for (const [form, [own]] of spellings.forms) if (text.includes(form)) values.add(own!.value);
    return values;
  }
  const words = wordsOf(text, base);
  for (let i = 0; i < words.length; ) {
    const longest = [...formsAt(words, i, spellings), composedAt(words, i, spellings) ?? [0, 0]].reduce(
      (most, one) => (one[0] > most[0] ? one : most),
      [0, 0],
    );
    if (longest[1] > 12) values.add(longest[1]);
    i += Math.max(1, longest[1] > 12 ? longest[0] : 1);
  }
  return values;
}
