import { type LinguaLoop, LinguaLoopError, type TranslationJob } from '../../../src/index.ts';
import { eachOf } from '../files/translate-file.ts';
import { CompatError } from './request.ts';

/** Texts with the same languages and options. */
export interface TextsToTranslate {
  texts: readonly string[];
  from: string;
  to: string;
  isHtml: boolean;
  tone: string | undefined;
  /** A hint about the texts for the model. */
  context: string | undefined;
}

/** A translated text. `held` is true if it awaits a review: the text is then only proposed. */
export interface TranslatedText {
  text: string;
  source: string;
  /** The confidence of the detection, 0 to 1; null if the language was given. */
  confidence: number | null;
  billed: number;
  held: boolean;
  jobId: string;
}

/** Maximum texts of one request to the service. */
const batchSize = 50;
/** Texts that are sent one by one at the same time. */
const textsInFlight = 8;

/**
 * Translates texts in their order. A blank text stays as it is, because the service does not accept it.
 * @param heldIsError whether a text that awaits a review is an error, instead of the proposed translation
 * @throws CompatError 409; the errors of the service
 */
export async function translateTexts(
  client: LinguaLoop,
  { texts, from, to, isHtml, tone, context }: TextsToTranslate,
  heldIsError: boolean,
  signal: AbortSignal,
): Promise<TranslatedText[]> {
  const asked = texts.filter((text) => text.trim() !== '');
  const jobs: TranslationJob[] = [];
  // A batch fails as a whole if the language of one text is unclear.
  if (from === 'auto' || asked.length === 1)
    await eachOf([...asked.entries()], textsInFlight, async ([index, source_text]) => {
      const request = {
        source_text,
        target_lang: to,
        text_type: isHtml ? ('Html' as const) : ('Plain' as const),
        ...(tone !== undefined && { tone }),
        ...(context !== undefined && { context }),
      };
      const unclear = { client, text: source_text, to, signal };
      jobs[index] = await withLanguage(from, unclear, (source_lang) =>
        client.translations.create({ ...request, source_lang }, { signal }),
      );
    });
  else
    for (let start = 0; start < asked.length; start += batchSize) {
      const inputs = asked.slice(start, start + batchSize).map((Text) => ({
        Text,
        Language: from,
        TextType: isHtml ? ('Html' as const) : ('Plain' as const),
        ...(context !== undefined && { Context: context }),
        Targets: [{ Language: to, ...(tone !== undefined && { Tone: tone }) }],
      }));
      jobs.push(...(await client.translations.createBatch({ inputs }, { signal })));
    }
  const held = jobs.find(isHeld);
  if (held && heldIsError) throw new CompatError(409, `the translation awaits a review (job ${held.id})`);
  const made = jobs.values();
  return texts.map((text) => {
    if (text.trim() === '')
      return { text, source: from, confidence: null, billed: 0, held: false, jobId: '' };
    const job = made.next().value as TranslationJob;
    const detection = job.request.metadata?.['source_lang_detection'] as { confidence: number } | undefined;
    return {
      text: job.final_translation ?? '',
      source: job.request.source_lang,
      confidence: detection?.confidence ?? null,
      billed: [...text].length,
      held: isHeld(job),
      jobId: job.id,
    };
  });
}

function isHeld({ status }: TranslationJob): boolean {
  return status === 'awaiting_review' || status === 'refined';
}

/** The header that names the jobs whose texts are only proposed. */
export function reviewHeaders(results: readonly TranslatedText[]): Record<string, string> {
  const held = results.filter(({ held }) => held).map(({ jobId }) => jobId);
  return held.length > 0 ? { 'x-lingualoop-awaiting-review': held.join(',') } : {};
}

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
