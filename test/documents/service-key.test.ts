import { expect, test } from 'vitest';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answerOf } from '../translations/workspace.ts';

const serviceKey = 'the-service-key-of-the-documents-0123456789';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', SERVICE_API_KEY: serviceKey } });

test('a document of the single service key names no tenant', async () => {
  const headers = { 'x-api-key': serviceKey };
  const form = new FormData();
  form.append('target_lang', 'fr');
  form.append('wait', 'true');
  form.append('source_document', new File([workbook('Hello')], 'Book.xlsx'));
  const { status, body } = await answerOf(
    app.request('/api/documents/translate', { method: 'POST', headers, body: form }),
  );
  expect([status, body.status, body.tenant_id]).toEqual([200, 'translated', null]);
  const { body: listed } = await app.json('GET', '/api/documents', { headers });
  expect(listed).toEqual([body]);
});
