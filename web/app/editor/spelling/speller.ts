import { deployment } from '../../deployment.ts';
import { startWorker } from '../../parts/start-worker.ts';
import type { SpellingRequest, SpellingResponse } from './spelling-worker.ts';
import workerAddress from './spelling-worker.ts?worker&url';
import { plainOf, type Word } from './words.ts';

/** The files of the dictionaries, by language. The build writes them. */
declare const DICTIONARIES: Record<string, string>;

/** Returns the URL of the dictionary of a language: that of its region, or that of the language. */
export function dictionaryOf(language: string): string | undefined {
  const exact = language.toLowerCase();
  const base = exact.split('-')[0] ?? '';
  // British spelling is used outside of America, too.
  const english = base === 'en' && /-(gb|ie|au|nz|za|in)$/.test(exact) ? 'en-gb' : base;
  const file = DICTIONARIES[english];
  return file && `${location.origin}${deployment.basePath}/static/${file}`;
}

/** Checks words of one language in a worker. Results are remembered, so that each word is asked for once. */
export class Speller {
  readonly #worker = startWorker(workerAddress);
  readonly #waiting = new Map<number, (response: SpellingResponse) => void>();
  readonly #known = new Map<string, boolean>();
  readonly #ready: Promise<SpellingResponse>;
  #last = 0;

  constructor(address: string, language: string) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<SpellingResponse>) => {
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    });
    this.#ready = this.#ask({ kind: 'load', address, joins: language.startsWith('nl') });
  }

  #ask(request: WithoutId<SpellingRequest>): Promise<SpellingResponse> {
    this.#last += 1;
    const id = this.#last;
    const response = new Promise<SpellingResponse>((resolve) => this.#waiting.set(id, resolve));
    this.#worker.postMessage({ ...request, id });
    return response;
  }

  /** Returns the words that are not correct; none if the dictionary cannot be loaded. */
  async wrongOf(words: readonly Word[]): Promise<Set<string>> {
    if ((await this.#ready).failed) return new Set();
    const plain = [...new Set(words.map(({ text }) => plainOf(text)))];
    const unknown = plain.filter((word) => !this.#known.has(word));
    if (unknown.length > 0) {
      const wrong = new Set((await this.#ask({ kind: 'check', words: unknown })).words);
      for (const word of unknown) this.#known.set(word, !wrong.has(word));
    }
    return new Set(plain.filter((word) => this.#known.get(word) === false));
  }

  /** Returns suggestions for a word, the best first. */
  async suggest(word: string): Promise<string[]> {
    return (await this.#ask({ kind: 'suggest', word: plainOf(word) })).words;
  }

  close(): void {
    this.#worker.terminate();
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
