import { type LinguaLoop, LinguaLoopError } from '../../../src/index.ts';

/** What is known about a text whose language is to be guessed. */
export interface Unclear {
  client: LinguaLoop;
  /** Null for a document. */
  text: string | null;
  to: string;
  signal: AbortSignal;
}

/** A text with fewer letters can be in any language of its script. */
const minLetters = 12;

/**
 * Sends a request with a language. With `auto`, and if the service is not sure, sends it again with a guess: clients of
 * these APIs expect a translation of any text.
 */
export async function withLanguage<T>(
  from: string,
  unclear: Unclear,
  send: (language: string) => PromiseLike<T>,
): Promise<T> {
  try {
    return await send(from);
  } catch (error) {
    if (!(error instanceof LinguaLoopError) || error.candidates === null) throw error;
    return send(await guessLanguage(error.candidates, unclear));
  }
}

/**
 * Returns the likely language of a text: one in which the TM has exactly this text, else the language of the workspace
 * or English, else the likeliest candidate. Interface strings are short, and look like many languages.
 * @param candidates the likely languages, the likeliest first
 */
export async function guessLanguage(
  candidates: readonly string[],
  { client, text, to, signal }: Unclear,
): Promise<string> {
  const preferred = [...new Set([await workspaceLanguage(client, signal), 'en'])];
  const possible = [...new Set([...preferred, ...candidates])].filter((one) => one !== to);
  const known = text === null ? [] : await Promise.all(possible.map((from) => isInMemory(from)));
  const found = possible[known.indexOf(true)];
  if (found) return found;
  const isShort = text !== null && /^[\P{L}\p{Script=Latin}]*$/u.test(text) && letters(text) < minLetters;
  const usual = preferred.find((one) => one !== to && (isShort || candidates.includes(one)));
  return usual ?? candidates.find((one) => one !== to) ?? candidates[0] ?? 'en';

  async function isInMemory(source_lang: string): Promise<boolean> {
    const asked = { source_text: text as string, source_lang, target_lang: to };
    return client.memory.matches(asked, { signal }).then(
      ({ matches }) => matches.some(({ kind }) => kind === 'exact'),
      // A key for translations may lack the right to read the TM.
      () => false,
    );
  }
}

const letters = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;

/** Returns the source language of most TMs and glossaries of the workspace; English without any. */
async function workspaceLanguage(client: LinguaLoop, signal: AbortSignal): Promise<string> {
  const sets = await Promise.all([client.memory.list({ signal }), client.terminology.list({ signal })]).then(
    (lists) => lists.flat(),
    () => [],
  );
  const counts = new Map<string, number>();
  for (const { source_lang: code } of sets) if (code) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 'en';
}
