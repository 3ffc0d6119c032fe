import type { Translations, TranslationTask } from '#server/engines/engine.ts';
import { blocksOf, extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import type { TranslationRequest } from '../schema.ts';

/** A request's text as the pipeline handles it: what is translated, and the way back to the text that is published. */
export interface SourceText {
  task: TranslationTask;
  /** The segments that belong together, by index: a sentence never reaches beyond its block. */
  blocks: readonly (readonly number[])[];
  /** The text as it was given, where it has no markup; else null. */
  plain: string | null;
  /** The published form: the translations where the segments stood, and the markup as it was. */
  rebuild(translations: Translations): string;
}

/** B 2.1 text_type: of an HTML source, only text nodes and four attributes are translated. */
export function readSourceText(request: TranslationRequest): SourceText {
  const { source_text: source } = request;
  if (request.text_type !== 'Html')
    return {
      task: taskOf(request, [source]),
      blocks: [[0]],
      plain: source,
      rebuild: ([translation]) => translation ?? '',
    };
  const segments = extractHtml(source);
  return {
    task: taskOf(
      request,
      segments.map(({ text }) => text),
    ),
    blocks: blocksOf(source, segments),
    plain: segments.length === 1 && segments[0]?.text === source.trim() ? source : null,
    rebuild: (translations) => rebuildHtml(source, segments, translations),
  };
}

function taskOf(request: TranslationRequest, segments: string[]): TranslationTask {
  return {
    segments,
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    textType: request.text_type ?? 'Plain',
    tone: request.tone ?? null,
    gender: request.gender ?? null,
    domain: request.domain ?? null,
  };
}

/** Segments as one text, for whatever looks at a translation as a whole. */
export function joinSegments(segments: readonly string[]): string {
  return segments.length === 1 ? (segments[0] as string) : segments.join('\n');
}
