import nspell from 'nspell';

/*
 * The worker that checks words with a Hunspell dictionary. It reads one dictionary, because the languages of an editor
 * rarely change. A word of a compound language is also correct if it consists of two correct words.
 */

export interface DictionaryFile {
  aff: string;
  dic: string;
  /** The license, which must be distributed with the words. */
  license: string;
}

/** A request: `load` has the URL of a dictionary, and whether its language joins words. The others are about words. */
export type SpellingRequest = { id: number } & (
  | { kind: 'load'; address: string; joins: boolean }
  | { kind: 'check'; words: readonly string[] }
  | { kind: 'suggest'; word: string }
);

/** The words that are not correct, or the suggestions; empty after `load`. `failed`: the dictionary is not loaded. */
export type SpellingResponse = { id: number; words: string[]; failed?: true };

const maxSuggestions = 6;
/** Longer words are not checked, because suggestions for them take seconds. */
const maxLength = 50;

let dictionary: ReturnType<typeof nspell> | undefined;
let joinsWords = false;

async function load(address: string): Promise<void> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the dictionary was answered ${response.status}`);
  const { aff, dic }: DictionaryFile = await response.json();
  dictionary = nspell(aff, dic);
}

function isCorrect(word: string): boolean {
  if (!dictionary || word.length > maxLength) return true;
  if (dictionary.correct(word)) return true;
  if (!joinsWords) return false;
  // Dutch joins words directly, or with an "s". Shorter parts would make many misspelled words correct.
  for (let at = 3; at <= word.length - 4; at += 1) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    if (!dictionary.correct(second)) continue;
    if (dictionary.correct(first) || (first.endsWith('s') && dictionary.correct(first.slice(0, -1))))
      return true;
  }
  return false;
}

async function respond(request: SpellingRequest): Promise<SpellingResponse> {
  const { id } = request;
  switch (request.kind) {
    case 'load':
      joinsWords = request.joins;
      await load(request.address);
      return { id, words: [] };
    case 'check':
      return { id, words: request.words.filter((word) => !isCorrect(word)) };
    case 'suggest':
      return { id, words: (dictionary?.suggest(request.word) ?? []).slice(0, maxSuggestions) };
  }
}

addEventListener('message', ({ data }: MessageEvent<SpellingRequest>) => {
  respond(data).then(postMessage, () => postMessage({ id: data.id, words: [], failed: true }));
});
