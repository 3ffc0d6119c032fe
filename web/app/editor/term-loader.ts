import type { InputOf, OutputOf } from '#sdk/procedure-types.ts';
import type { Languages } from './marks.ts';

/** The glossary terms of a text. */
export type Terms = OutputOf<'terminology.matchesOfTexts'>['results'][number];

interface Wanted {
  text: string;
  languages: Languages;
  isHtml: boolean;
  signal: AbortSignal;
}

interface Waiting extends Wanted {
  resolve: (terms: Terms) => void;
  reject: (error: unknown) => void;
}

/** Milliseconds without a new text before a request: scrolled rows share one, and it delays no key to the next segment. */
const pause = 200;

/** Maximum number of texts of a request, and of the UTF-16 units that they have together. The service allows no more. */
const most = { texts: 100, units: 50_000 };

/** Loads the terms of many texts with few requests. */
export class TermLoader {
  readonly #send: (
    request: InputOf<'terminology.matchesOfTexts'>,
  ) => Promise<OutputOf<'terminology.matchesOfTexts'>>;
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    send: (request: InputOf<'terminology.matchesOfTexts'>) => Promise<OutputOf<'terminology.matchesOfTexts'>>,
  ) {
    this.#send = send;
  }

  /** Returns the terms of a text. If `wanted.signal` aborts before the request, the text is left out. */
  load(wanted: Wanted): Promise<Terms> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), pause);
    return new Promise((resolve, reject) => this.#waiting.push({ ...wanted, resolve, reject }));
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { signal, reject } of waiting) if (signal.aborted) reject(signal.reason);
    const wanted = waiting.filter(({ signal }) => !signal.aborted);
    const groups = Map.groupBy(wanted, ({ languages, isHtml }) =>
      JSON.stringify([languages.source, languages.target, isHtml]),
    );
    for (const group of groups.values()) for (const part of split(group)) void this.#request(part);
  }

  async #request(part: readonly Waiting[]): Promise<void> {
    const { languages, isHtml } = part[0] as Waiting;
    try {
      const { results } = await this.#send({
        source_texts: part.map(({ text }) => text),
        source_lang: languages.source,
        target_lang: languages.target,
        text_type: isHtml ? 'Html' : 'Plain',
      });
      for (const [index, { resolve }] of part.entries()) resolve(results[index] ?? []);
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  }
}

/** Splits texts into parts that a request may have. */
function split(texts: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let units = 0;
  for (const one of texts) {
    const last = parts.at(-1);
    units += one.text.length;
    if (last && last.length < most.texts && units <= most.units) last.push(one);
    else {
      parts.push([one]);
      units = one.text.length;
    }
  }
  return parts;
}
