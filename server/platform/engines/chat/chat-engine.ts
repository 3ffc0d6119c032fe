import { isUnspaced } from '#server/languages.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../concurrency-limit.ts';
import type { CallScope, Engine, EngineResult, Paid, Translations, TranslationTask } from '../engine.ts';
import { type AskAll, askAllBy, ask as askOne, type Chat, type Question, type Upstream } from './chat.ts';
import { assess, assessEach, compare, verify } from './judge.ts';
import { cutText, groupEvenly, keepOuterSpace, unitsPerCall, unitsPerSegment } from './long-texts.ts';
import { type OutputModes, openOutputModes } from './output-modes.ts';
import { contextsBefore, noteOf, promptOf } from './prompts.ts';
import { type Sleep, sleep } from './rate-limit-retry-after.ts';
import { repair } from './repair.ts';
import { readSegments, type TranslatedSegments, translationFormat } from './response-formats.ts';

/** Parts of the process that an engine uses. */
export interface ChatDependencies {
  /** Waits between two attempts. Default: real time; tests replace it. */
  sleep?: Sleep;
  modes?: OutputModes;
  paid?: Paid;
  /** The name under which requests and tokens are counted. Default: the name of the model. */
  countedAs?: string;
  /** The limit that all calls of a process to the same endpoint share. */
  concurrencyLimit?: ConcurrencyLimit;
  /** Whether another engine is asked after a failure: then one retry, none after a timeout or a long Retry-After. */
  isHurried?: boolean;
}

export const nobodyCounts: Paid = async () => {};

/**
 * Returns the endpoint with its limits.
 * @param retries maximum retries of one request
 */
export function upstreamOf(
  chat: Chat,
  retries: number,
  { modes, paid, sleep: pause, concurrencyLimit, countedAs, isHurried = false }: ChatDependencies,
): Upstream {
  return {
    chat,
    modes: modes ?? openOutputModes(),
    paid: paid ?? nobodyCounts,
    retries: isHurried ? Math.min(retries, 1) : retries,
    isHurried,
    sleep: pause ?? sleep,
    concurrencyLimit: concurrencyLimit ?? createConcurrencyLimit(),
    ...(countedAs !== undefined && { countedAs }),
  };
}

/** An endpoint and its models: one translates, the other one judges and repairs. */
interface ChatModels {
  upstream: Upstream;
  translator: string;
  refiner: string;
}

/**
 * Creates the engine of a chat endpoint. It limits concurrent calls, splits long texts and retries after transient
 * failures. Its calls fail with an AppError.
 */
export function createChatEngine({ upstream, translator, refiner }: ChatModels): Engine {
  const ask = askAllBy((question, scope) => askOne(upstream, question, scope));
  return {
    live: true,
    withoutJudge: null,
    translate: (task, scope, model) => translate(ask, model ?? translator, task, scope),
    assess: (task, candidate, scope) => assess(ask, refiner, task, candidate, scope),
    assessEach: (task, candidate, scope) => assessEach(ask, refiner, task, candidate, scope),
    repair: (task, candidate, issues, scope) => repair(ask, refiner, task, candidate, issues, scope),
    compare: (task, candidates, scope) => compare(ask, refiner, task, candidates, scope),
    verify: (task, candidate, scope) => verify(ask, refiner, task, candidate, scope),
  };
}

/**
 * Translates the segments. A long text is sent in several requests, because a model may not be able to translate it
 * within OPENAI_TIMEOUT_SECONDS. Whitespace around segments, and between the pieces of a segment, is not sent to the
 * model.
 */
async function translate(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  scope: CallScope,
): Promise<EngineResult<Translations>> {
  const pieces = cutSegments(task.segments, task.sourceLang);
  const asked = pieces.filter(({ source }) => source.trim() !== '');
  const weigh = ({ source }: Piece) => source.length + unitsPerSegment;
  const groups = groupEvenly(asked, weigh, unitsPerCall(task.sourceLang) + unitsPerSegment);
  const contexts = contextsBefore(groups, task.contextBefore);
  const questions = groups.map(
    (group, at): Question<TranslatedSegments, string[]> => ({
      model,
      ...promptOf('translate', task, contexts[at], {
        segments: group.map(({ segment, source }) => ({ text: source.trim(), ...noteOf(task, segment) })),
      }),
      format: translationFormat,
      read: (reply) => readSegments(reply, group.length),
    }),
  );
  const { value, ...cost } = await askAll(questions, scope);

  const texts = value.flat();
  const translated = new Map(asked.map((piece, index) => [piece, texts[index]!]));
  const translations = pieces.map((piece) => translated.get(piece) ?? piece.source);
  return { value: joinPieces(pieces, translations, task), ...cost };
}

/** A part of the source that fits into one request: a whole segment, or a part of a long one. */
export interface Piece {
  /** Index of the segment to which the piece belongs. */
  segment: number;
  /** A part of the source segment. All pieces of a segment joined are exactly the segment. */
  source: string;
}

function cutSegments(segments: readonly string[], language: string): Piece[] {
  const max = unitsPerCall(language);
  return segments.flatMap((text, segment) =>
    cutText(text, max, language).map((source) => ({ segment, source })),
  );
}

/**
 * Joins the translations of the pieces to segments. Whitespace around and between pieces is taken from the source. If
 * the source language is written without spaces and the target language with spaces, a space is added between two
 * pieces.
 */
export function joinPieces(
  pieces: readonly Piece[],
  translations: readonly string[],
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): string[] {
  const gap = isUnspaced(sourceLang) && !isUnspaced(targetLang) ? ' ' : '';
  const joined: string[] = [];
  for (const [index, { segment, source }] of pieces.entries()) {
    const text = keepOuterSpace(source, translations[index]!);
    const before = joined[segment];
    if (before === undefined) joined[segment] = text;
    else joined[segment] = before + (/\S$/.test(before.slice(-1)) && /^\S/.test(text) ? gap : '') + text;
  }
  return joined;
}
