import { createHash, timingSafeEqual } from 'node:crypto';
import { withLanguage } from '../guess-language.ts';
import { CompatError, type CompatResponse, textField } from '../request.ts';
import { badRequest, type Call, type Operation, sourceOf, targetOf } from './call.ts';
import { requireGlossaries } from './glossaries.ts';
import { refuseUnsupported, toneOf } from './options.ts';

export const documentOperations: Readonly<Record<string, Operation>> = {
  'POST /v2/document': uploadDocument,
  'POST /v2/document/:id': documentStatus,
  'GET /v2/document/:id': documentStatus,
  'POST /v2/document/:id/result': documentResult,
  'GET /v2/document/:id/result': documentResult,
};

function documentKey(key: string, documentId: string): string {
  return createHash('sha256').update(`document ${documentId} ${key}`).digest('hex').toUpperCase();
}

function requireDocumentKey({ request, key, id }: Call): void {
  const given = Buffer.from(textField(request, 'document_key') ?? '');
  const expected = Buffer.from(documentKey(key, id));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new CompatError(404, 'Document not found');
}

async function uploadDocument(call: Call): Promise<CompatResponse> {
  const { request, key, clientOf } = call;
  refuseUnsupported(request);
  const file = request.files['file'];
  if (!file) throw badRequest("Parameter 'file' not specified.");
  const name = textField(request, 'filename') || file.name;
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const wanted = textField(request, 'output_format')?.toLowerCase();
  if (wanted && wanted !== extension && !(extension === 'pdf' && wanted === 'docx'))
    throw badRequest("Value for 'output_format' not supported.");
  await requireGlossaries(call);
  const tone = toneOf(request);
  const fields = {
    target_lang: targetOf(request),
    ...(tone !== undefined && { tone }),
    ...(wanted && wanted !== extension && { output: 'docx' as const }),
  };
  const client = clientOf(key);
  const unclear = { client, text: null, to: fields.target_lang, signal: request.signal };
  const { id } = await withLanguage(sourceOf(request), unclear, (source_lang) =>
    client.documents.translate(
      { name: name.replace(/\.txt$/i, '.text'), data: file },
      { ...fields, source_lang },
      { signal: request.signal },
    ),
  );
  return { json: { document_id: id, document_key: documentKey(key, id) } };
}

async function documentStatus(call: Call): Promise<CompatResponse> {
  requireDocumentKey(call);
  const { status, progress, billable_chars, error, created_at } = await call
    .clientOf(call.key)
    .documents.get(call.id, { signal: call.request.signal });
  const answer = (fields: object) => ({ json: { document_id: call.id, ...fields } });
  if (status === 'translated') return answer({ status: 'done', billed_characters: billable_chars });
  if (status === 'failed')
    return answer({ status: 'error', error_message: error ?? 'the translation failed' });
  if (status !== 'extracted') return answer({ status: 'queued' });
  const share =
    progress && progress.total_segments > 0 ? progress.translated_segments / progress.total_segments : 0;
  const seconds = (Date.now() - Date.parse(created_at)) / 1000;
  const left = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 10;
  return answer({ status: 'translating', seconds_remaining: Math.min(Math.max(left, 1), 3600) });
}

async function documentResult(call: Call): Promise<CompatResponse> {
  requireDocumentKey(call);
  const file = await call.clientOf(call.key).documents.download(call.id, { signal: call.request.signal });
  return { headers: { 'content-type': file.contentType }, body: await file.bytes() };
}
