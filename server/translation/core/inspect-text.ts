import { setImmediate } from 'node:timers/promises';
import { extractHtml } from '#server/formats/html-segments.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { clipped, inspectorOf } from './checks.ts';
import { checkAddedCode } from './integrity/added-code.ts';
import { checkMarkup } from './integrity/index.ts';
import { joinSegments, readSourceText } from './pipeline/source-text.ts';
import type { TextRequest } from './request.ts';

/**
 * Source and translation with at most this many UTF-16 units together are checked without a queue. Ordinary texts are
 * shorter and take some milliseconds.
 */
const shortTexts = 20_000;

/**
 * Longer texts are checked one after another: checking a hostile text may take half a second, and no one pays for that.
 * Tenants get the slot in turn, and other requests run between two checks.
 */
const longTexts = createConcurrencyLimit({
  slots: 1,
  maxWaiting: 100,
  refusal: 'too many long texts are being checked; try again later',
});

/**
 * Returns the issues that no model can override, for a translation that a member proposes. Call this outside of
 * transactions.
 * @param style in the third argument: the tenant's style for the target language; null if it is not to be checked
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function inspectText(
  request: TextRequest,
  text: string,
  { style = null, ...caller }: { tenantId: string; signal?: AbortSignal; style?: TaskStyle | null },
): Promise<QualityIssue[]> {
  if (request.source_text.length + text.length <= shortTexts) return findIssues(request, text, style);
  return longTexts.run(caller, async () => {
    await setImmediate();
    return findIssues(request, text, style);
  });
}

async function findIssues(
  request: TextRequest,
  text: string,
  style: TaskStyle | null,
): Promise<QualityIssue[]> {
  const source = readSourceText(request, style);
  if (request.text_type !== 'Html') return inspectorOf(source)(source.task, [text]);
  const { segments } = source.task;
  const translations = extractHtml(text).map((segment) => segment.text);
  // Scripts and attributes are in no segment.
  const markup = [
    ...checkAddedCode(request.source_text, text),
    ...checkMarkup(request.source_text, text),
  ].map(clipped);
  // A translation with a different block structure cannot be compared block by block.
  const findings =
    translations.length === segments.length
      ? await inspectorOf(source)(source.task, translations)
      : await inspectorOf({ blocks: [[0]] })({ ...source.task, segments: [joinSegments(segments)] }, [
          joinSegments(translations),
        ]);
  return [...markup, ...findings];
}
