import type { TranslationJob } from '../types.ts';
import { misfit, Refused, requireField, requireLanguage, requireText } from './answers.ts';

/** A valid request to translate one text. */
export type TextRequest = Omit<TranslationJob['request'], 'idempotency_key'>;

type Fields = Record<string, unknown>;

/** Maximum characters of a page of a document. */
const pageSize = 5_000;

/**
 * Reads the request to translate a text, in the form in which the service stores it.
 * @param names names of the fields in error messages
 * @throws Refused
 */
export function requestOf(
  fields: Fields,
  names = { source_text: 'source_text', source_lang: 'source_lang', target_lang: 'target_lang' },
): TextRequest {
  const source_text = requireText(fields, 'source_text');
  const target_lang = requireText(fields, 'target_lang');
  if (source_text.trim() === '')
    throw new Refused(400, `${names.source_text} must not be blank`, 'validation_error');
  const { source_lang = 'en', metadata = {} } = fields as Partial<TextRequest>;
  requireText({ source_lang }, 'source_lang');
  const text = (name: string) => (fields[name] as string | undefined) ?? null;
  return {
    source_text,
    source_lang: requireLanguage(names.source_lang, source_lang),
    target_lang: requireLanguage(names.target_lang, target_lang),
    domain: text('domain'),
    metadata,
    text_type: text('text_type') as TextRequest['text_type'],
    tone: text('tone'),
    gender: text('gender'),
    deployment_name: text('deployment_name'),
    adaptive_dataset_id: text('adaptive_dataset_id'),
    allow_fallback: (fields['allow_fallback'] as boolean | undefined) ?? null,
  };
}

/** Returns the requests of a batch: each text once for each of its target languages. @throws Refused */
export function textsOfBatch(inputs: unknown[]): TextRequest[] {
  if (inputs.length === 0) throw misfit(['body', 'inputs'], 'must not be empty');
  return (inputs as Fields[]).flatMap((input, i) => {
    const targets = (input['Targets'] ?? []) as Fields[];
    if (targets.length === 0) throw misfit(['body', 'inputs', String(i), 'Targets'], 'must not be empty');
    return targets.map((target, t) =>
      requestOf(
        {
          source_text: input['Text'],
          source_lang: input['Language'],
          target_lang: target['Language'],
          text_type: input['TextType'] ?? 'Plain',
          tone: target['Tone'],
          gender: target['Gender'],
          deployment_name: target['DeploymentName'],
          adaptive_dataset_id: target['AdaptiveDatasetId'],
          allow_fallback: target['AllowFallback'],
        },
        {
          source_text: `inputs[${i}].Text`,
          source_lang: `inputs[${i}].Language`,
          target_lang: `inputs[${i}].Targets[${t}].Language`,
        },
      ),
    );
  });
}

/** Returns the requests for the pages of a document's text. @param said the document as the caller describes it */
export function textsOfDocument(fields: Fields, said: object): TextRequest[] {
  const request = requestOf(fields);
  return pagesOf(request, {
    name: 'source_document.txt',
    content_type: null,
    ...said,
    size_bytes: new TextEncoder().encode(request.source_text).length,
  });
}

/** Returns the requests for the pages of a file. The fields may come from the form or the query. @throws Refused */
export async function textsOfFile(file: File, fields: Fields): Promise<TextRequest[]> {
  if (file.size === 0) throw new Refused(400, 'source_document is empty', 'validation_error');
  if (
    !/\.(csv|docx|html?|json|md|pdf|txt|xml)$/i.test(file.name) &&
    !/^text\/|pdf$|xml$|json$/.test(file.type)
  )
    throw new Refused(415, 'unsupported source_document type');
  const target_lang = requireField(fields, 'target_lang');
  const { model, metadata, ...others } = fields;
  const source_text = await file.text();
  if (source_text.trim() === '')
    throw new Refused(400, 'source_document: no text was found in the file', 'validation_error');
  const request = requestOf({
    ...others,
    source_text,
    target_lang,
    text_type: 'Plain',
    metadata: {
      ...JSON.parse((metadata as string | undefined) ?? '{}'),
      ...(model !== undefined && { primary_model: model }),
    },
  });
  return pagesOf(request, {
    name: file.name.replace(/^.*[\\/]/s, ''),
    content_type: file.type || null,
    size_bytes: file.size,
  });
}

function pagesOf(request: TextRequest, document: Fields): TextRequest[] {
  const { source_text: text, metadata } = request;
  const starts = Array.from({ length: Math.ceil(text.length / pageSize) }, (_, n) => n * pageSize);
  const pages = starts
    .map((start) => text.slice(start, start + pageSize).trim())
    .filter((page) => page !== '');
  return pages.map((source_text, n) => ({
    ...request,
    source_text,
    metadata: {
      ...metadata,
      source_document: { ...document, page_number: n + 1, page_count: pages.length },
    },
  }));
}
