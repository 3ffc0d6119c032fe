import { findUnstorable } from '../../input-limits.ts';
import { recordModelRequest } from '../../model-requests.ts';
import { callConcurrently } from '../chat/chat.ts';
import { joinPieces, type Piece } from '../chat/chat-engine.ts';
import { callWithin, errorWord } from '../chat/endpoint-http.ts';
import { cutText, groupConsecutive } from '../chat/long-texts.ts';
import { contextsBefore } from '../chat/prompts.ts';
import { callWithRetries, type RetryPolicy } from '../chat/rate-limit-retry-after.ts';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import type { Engine, Protect, TranslationTask } from '../engine.ts';
import { type MachineRequest, type Translator, UnsupportedPair, UnsupportedPairError } from './translator.ts';

interface MachineParts extends RetryPolicy {
  /** Milliseconds of one request. */
  timeout: number;
  protect: Protect;
}

/** A part of a segment that is sent, and how its translation is read. */
interface Sent extends Piece {
  text: string;
  isMarkup: boolean;
  /** Whether there is anything to translate: letters or digits. */
  hasWords: boolean;
  read(reply: string): string;
}

/**
 * Returns the `translate` function of an engine. It sends tags and protected words in the syntax of the service, cuts
 * and groups the texts by its limits, and retries as for a model.
 * @param name the engine's name in the settings, which operators see as the model
 */
export function translateBy(translator: Translator, name: string, parts: MachineParts): Engine['translate'] {
  return async (task, scope) => {
    const from = translator.codeOf(task.sourceLang, 'source');
    const to = translator.codeOf(task.targetLang, 'target');
    if (from === undefined || to === undefined) throw new UnsupportedPairError(name, task);
    const names = [...(task.keep ?? []), ...namesIn(task)];
    const protect: Protect = (text, lang) => parts.protect(text, lang, names);
    const pieces = task.segments.flatMap((text, segment) => cut(text, segment, task, translator, protect));
    const asked = pieces.filter(({ hasWords }) => hasWords);
    const groups = [true, false].flatMap((isMarkup) =>
      group(
        asked.filter((one) => one.isMarkup === isMarkup),
        translator,
      ),
    );
    const contexts = translator.abilities.context ? contextsBefore(groups, task.contextBefore) : [];
    const requests = groups.map(
      (sent, at): MachineRequest => ({
        texts: sent.map(({ text }) => text),
        from,
        to,
        isMarkup: sent[0]!.isMarkup,
        formality: translator.abilities.formality ? formalityOf(task) : null,
        context: contexts[at] ?? null,
      }),
    );
    const send = (request: MachineRequest, signal: AbortSignal | undefined) =>
      recordModelRequest({ model: name, mode: 'machine' }, (count) => {
        // These services are paid by the character, so characters take the place of tokens.
        count({ inputTokens: request.texts.reduce((sum, { length }) => sum + length, 0), outputTokens: 0 });
        return callWithin(parts.timeout, signal, classify, async (stop) =>
          readTexts(await translator.translate(request, stop), request.texts),
        );
      });
    const replies = await callConcurrently(requests, scope, (request, at) =>
      callWithRetries(parts, at, () => send(request, at.signal)),
    ).catch((thrown) => {
      throw thrown instanceof UnsupportedPair ? new UnsupportedPairError(name, task) : thrown;
    });
    const texts = replies.flat();
    const read = new Map(groups.flat().map((piece, index) => [piece, piece.read(texts[index]!)]));
    const translations = pieces.map((piece) => read.get(piece) ?? piece.source);
    return {
      value: joinPieces(pieces, translations, task),
      models: [name],
      inputTokens: 0,
      outputTokens: 0,
    };
  };
}

/**
 * Returns the pieces of a segment. A text with tags is cut at line ends, because HTML has no lines, and any text by the
 * limit of the service.
 */
function cut(
  segment: string,
  index: number,
  { hasTags: isTagged, sourceLang }: TranslationTask,
  { abilities }: Translator,
  protect: Protect,
): Sent[] {
  const isMarked = (isTagged && hasTags(segment)) || protect(segment, sourceLang) !== null;
  const lines = isMarked ? segment.split(/(?<=\n)/) : [segment];
  return lines
    .flatMap((line) => cutText(line, abilities.units, sourceLang))
    .map((source): Sent => {
      const kept = protect(source, sourceLang);
      const text = kept?.text ?? source;
      const isMarkup = kept !== null || (isTagged === true && hasTags(text));
      const restore = (reply: string) => kept?.restore(reply) ?? keepTags(reply, source);
      return {
        segment: index,
        source,
        text: isMarkup ? toMarkup(text.trim()) : text.trim(),
        isMarkup,
        hasWords: /[\p{L}\p{N}]/u.test(withoutTags(text)),
        read: (reply) => (isMarkup ? restore(fromMarkup(reply)) : reply),
      };
    });
}

/**
 * Returns a reply without the tags that stand for words, for a reply in which some of them are lost. The checks of the
 * pipeline find the words that it lacks.
 */
function keepTags(reply: string, source: string): string {
  return reply.replace(numbered, (tag) => (source.includes(tag) ? tag : ''));
}

function group(pieces: readonly Sent[], { abilities: { texts, units } }: Translator): Sent[][] {
  return groupConsecutive(pieces, ({ text }) => Math.max(text.length, units / texts), units);
}

/** Maximum number of names that are searched in each text. */
const maxNames = 200;

/** Returns the terms whose translation is the same word, such as names of products. The service gets no others. */
function namesIn({ glossary = [] }: TranslationTask): string[] {
  return glossary.flatMap(({ source, targets }) => (targets[0] === source ? source : [])).slice(0, maxNames);
}

function formalityOf({ style, tone }: TranslationTask): MachineRequest['formality'] {
  const asked = style?.formality ?? tone?.trim().toLowerCase();
  return asked === 'formal' || asked === 'informal' ? asked : null;
}

/** Maximum UTF-16 units of a response: many times more than the translation of any request has. */
const maxTextLength = 400_000;

/** @throws {UpstreamFailure} if the response has not one usable text for each text of the request */
function readTexts(response: unknown, { length }: readonly string[]): string[] {
  const texts = Array.isArray(response) ? response : [];
  const isUsable =
    texts.length === length &&
    texts.every((text) => typeof text === 'string' && text.trim() !== '') &&
    texts.reduce((sum, text) => sum + text.length, 0) <= maxTextLength &&
    !findUnstorable(texts);
  if (!isUsable)
    throw new UpstreamFailure('malformed', 'the response has not one text for each text of the request');
  return texts;
}

function classify(thrown: unknown): UpstreamFailure {
  if (thrown instanceof UnsupportedPair) throw thrown;
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof UpstreamFailure) return error;
  const { name, code, cause } = thrown as { name?: string; code?: unknown; cause?: { code?: unknown } };
  if (name === 'AbortError' || name === 'CanceledError')
    return new UpstreamFailure('outage', 'the engine did not respond in time', { timedOut: true });
  if (thrown instanceof SyntaxError)
    return new UpstreamFailure('malformed', 'the response of the engine is not JSON');
  return new UpstreamFailure('outage', 'the engine cannot be reached', {
    code: errorWord(code) ?? errorWord(cause?.code),
  });
}

/*
 * A translation service keeps HTML tags in their places, but does not know the numbered tags of the pipeline (`<1>`,
 * `</1>`, `<2/>`). They travel as `<span id="1">`, `</span>` and `<img id="2/">`.
 */

/** Matches the numbered tags of a text. */
const numbered = /<(\/?)(\d{1,9})(\/?)>/g;

/** Whether a text has numbered tags. */
const hasTags = (text: string): boolean => text.search(numbered) >= 0;

const withoutTags = (text: string): string => text.replace(numbered, '');

/** Returns a text as HTML. A tag whose partner is not in the text travels as a void one does. */
function toMarkup(text: string): string {
  const tags = [...text.matchAll(numbered)];
  const paired = new Set<number>();
  const open: number[] = [];
  for (const [index, [, closing, number, single]] of tags.entries()) {
    if (single) continue;
    if (!closing) open.push(index);
    else if (tags[open.at(-1) ?? -1]?.[2] === number) paired.add(index).add(open.pop()!);
  }
  let markup = '';
  let done = 0;
  for (const [index, { 0: written, 1: closing, 2: number, index: start }] of tags.entries()) {
    markup += encode(text.slice(done, start));
    if (!paired.has(index)) markup += `<img id="${written.slice(1, -1)}"/>`;
    else markup += closing ? '</span>' : `<span id="${number}">`;
    done = start + written.length;
  }
  return markup + encode(text.slice(done));
}

const element = /<(\/?)(span|img)(?:\s[^<>]{0,200})?>/gi;

/**
 * Returns a translated HTML text with numbered tags. Tags that the service has doubled, moved or lost are so in the
 * result too, and other markup is text: the pipeline checks the tags.
 */
function fromMarkup(markup: string): string {
  const open: string[] = [];
  let text = '';
  let done = 0;
  for (const { 0: written, 1: closing, 2: name, index } of markup.matchAll(element)) {
    text += decode(markup.slice(done, index));
    done = index + written.length;
    const [, id = ''] = /\sid\s*=\s*["']?(\/?\d{1,9}\/?)["'\s>]/.exec(written) ?? [];
    const isPair = name!.toLowerCase() === 'span';
    const shown = isPair && closing ? (open.pop() ?? '') : id;
    if (isPair && !closing) open.push(id);
    if (shown !== '') text += isPair && closing ? `</${shown}>` : `<${shown}>`;
  }
  return text + decode(markup.slice(done));
}

function encode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u{a0}',
};

/** Decodes the entities that services write: those of XML, the no-break space, and numbers. */
function decode(markup: string): string {
  return markup.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name) return named[name.toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : whole;
    },
  );
}
