import { CompatError, type CompatRequest, type CompatResponse, textField, textsField } from '../request.ts';
import { reviewHeaders, translateTexts } from '../translate-texts.ts';
import { badRequest, type Call, choiceField, deeplCode, sourceOf, targetOf } from './call.ts';
import { requireGlossaries } from './glossaries.ts';
import { flagOf, refuseUnsupported, toneOf } from './options.ts';
import { readXml } from './xml.ts';

/** Maximum characters of the context and of all instructions together. */
const maxContext = 1000;

export async function translate(call: Call): Promise<CompatResponse> {
  const { request, key, clientOf, heldIsError } = call;
  refuseUnsupported(request);
  const texts = textsField(request, 'text');
  if (!texts || texts.length === 0) throw badRequest("Parameter 'text' not specified.");
  if (texts.length > 50)
    throw new CompatError(413, "Request entity too large. Reason: 'text' has more than 50 texts.");
  // Sentences are found by the model, so these have no effect.
  choiceField(request, 'split_sentences', ['0', '1', 'nonewlines']);
  flagOf(request, 'preserve_formatting');
  choiceField(request, 'tag_handling_version', ['v1', 'v2']);
  const modelType = choiceField(request, 'model_type', [
    'latency_optimized',
    'quality_optimized',
    'prefer_quality_optimized',
  ]);
  const tagHandling = choiceField(request, 'tag_handling', ['html', 'xml']);
  const ignored = tagsOf(request, tagHandling);
  const documents = tagHandling === 'xml' ? texts.map((text) => readXml(text, ignored)) : undefined;
  const [from, to, tone] = [sourceOf(request), targetOf(request), toneOf(request)];
  await requireGlossaries(call);
  const results = await translateTexts(
    clientOf(key),
    {
      texts: documents?.map(({ html }) => html) ?? texts,
      ...{ from, to, tone },
      isHtml: tagHandling !== undefined,
      context: contextOf(request),
    },
    heldIsError,
    request.signal,
  );
  const showsBilled = flagOf(request, 'show_billed_characters');
  return {
    headers: reviewHeaders(results),
    json: {
      translations: results.map(({ text, source, billed }, at) => ({
        detected_source_language: source === 'auto' ? '' : deeplCode(source),
        text: documents?.[at]?.write(text) ?? text,
        ...(showsBilled && { billed_characters: billed }),
        ...(modelType && { model_type_used: 'quality_optimized' }),
      })),
    },
  };
}

/**
 * Returns `ignore_tags`. The other options of XML need no effect: a model gets all texts of a request in their order,
 * so a sentence in several tags is not split.
 * @throws CompatError 400 for `ignore_tags` in HTML, which has `translate="no"`
 */
function tagsOf(request: CompatRequest, tagHandling: string | undefined): ReadonlySet<string> {
  const read = (name: string) =>
    (textsField(request, name) ?? []).flatMap((tags) => tags.split(',')).flatMap((tag) => tag.trim() || []);
  const [ignored] = [read('ignore_tags'), read('splitting_tags'), read('non_splitting_tags')];
  flagOf(request, 'outline_detection');
  if (tagHandling === 'html' && ignored && ignored.length > 0)
    throw badRequest("'ignore_tags' needs 'tag_handling' xml; in HTML, use translate=\"no\".");
  return new Set(ignored);
}

/** Returns the hint for the model: `context` and `custom_instructions`. @throws CompatError 400 */
function contextOf(request: CompatRequest): string | undefined {
  const instructions = textsField(request, 'custom_instructions') ?? [];
  const hints = [textField(request, 'context') ?? '', ...instructions].map((hint) => hint.trim());
  return (
    hints
      .filter((hint) => hint !== '')
      .join('\n')
      .slice(0, maxContext) || undefined
  );
}
