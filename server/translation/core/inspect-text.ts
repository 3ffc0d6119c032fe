import { setImmediate } from 'node:timers/promises';
import { extractHtml } from '#server/formats/html-segments.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { clipped, inspectorOf } from './checks.ts';
import { checkMarkup } from './integrity/index.ts';
import { joinSegments, readSourceText } from './pipeline/source-text.ts';
import type { TextRequest } from './request.ts';

/** UTF-16 units of source and text together that are checked at once: what people write takes some milliseconds. */
const shortTexts = 20_000;

/**
 * The checks of longer texts, one after the other: a hostile one keeps the process busy for up to half a second, and nobody pays for it. Tenants
 * share the slot fairly, and other requests come in between.
 */
const longTexts = createConcurrencyLimit({
  slots: 1,
  maxWaiting: 100,
  refusal: 'too many long texts are being checked; try again later',
});

/**
 * The findings of the checks that no model can override, in a text that a person proposes as the translation of a request. Call it outside of
 * transactions.
 * @throws AppError rate_limit if too many long texts wait for their check
 */
export async function inspectText(
  request: TextRequest,
  text: string,
  caller: { tenantId: string; signal?: AbortSignal },
): Promise<QualityIssue[]> {
  if (request.source_text.length + text.length <= shortTexts) return findIssues(request, text);
  return longTexts.run(caller, async () => {
    await setImmediate();
    return findIssues(request, text);
  });
}

async function findIssues(request: TextRequest, text: string): Promise<QualityIssue[]> {
  const source = readSourceText(request);
  if (request.text_type !== 'Html') return inspectorOf(source)(source.task, [text]);
  const { segments } = source.task;
  const translations = extractHtml(text).map((segment) => segment.text);
  const markup = checkMarkup(request.source_text, text).map(clipped);
  // A text of another structure cannot be compared block by block.
  const findings =
    translations.length === segments.length
      ? await inspectorOf(source)(source.task, translations)
      : await inspectorOf({ blocks: [[0]] })({ ...source.task, segments: [joinSegments(segments)] }, [
          joinSegments(translations),
        ]);
  return [...markup, ...findings];
}
