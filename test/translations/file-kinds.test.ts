import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { Document, Packer, Paragraph } from 'docx';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const lines = ['The first paragraph of the letter.', 'The second one follows it.'];

async function pdf(protect?: { userPassword?: string; ownerPassword?: string }) {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage();
  for (const [at, line] of lines.entries()) page.drawText(line, { x: 50, y: 700 - at * 40, size: 14, font });
  if (protect) document.encrypt({ ...protect, permissions: {} } as never);
  return new Uint8Array(await document.save({ useObjectStreams: false }));
}

const docx = async () =>
  new Uint8Array(
    await Packer.toBuffer(
      new Document({ sections: [{ children: lines.map((line) => new Paragraph(line)) }] }),
    ),
  );

const raw = (content: Uint8Array<ArrayBuffer>, type: string, query = '?target_lang=fr') =>
  mine.post(content, { 'content-type': type }, query);

describe('a raw PDF or DOCX is flattened to text (B 4.1)', () => {
  test.each([
    ['PDF by its content type', pdf, 'application/pdf', ''],
    ['DOCX by its extension', docx, 'application/octet-stream', '&filename=letter.docx'],
  ])('%s', async (_, make, type, name) => {
    const content = await make();
    const { status, body } = await raw(content, type, `?target_lang=fr${name}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toHaveLength(1);
    const words = body[0].request.source_text.replace(/\s+/g, ' ').trim();
    expect(words).toBe(lines.join(' '));
    expect(body[0].status).toBe('published');
    expect(body[0].request.metadata.source_document).toMatchObject({
      size_bytes: content.length,
      page_number: 1,
      page_count: 1,
    });
  });

  test('one that cannot be read (corrupt, cut off, protected) is 400', async () => {
    const answers = [
      await raw(new Uint8Array(Buffer.from('no pdf at all')), 'application/pdf'),
      await raw((await pdf()).slice(0, 300), 'application/pdf'),
      await raw(await pdf({ userPassword: 'secret', ownerPassword: 'owner' }), 'application/pdf'),
      await raw(new Uint8Array(Buffer.from('no zip at all')), docxType),
      await raw((await docx()).slice(0, 1500), docxType),
      await raw(new Uint8Array(), 'application/pdf'),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    for (const { body } of answers) expect(body.detail).toEqual(expect.any(String));
    expect(await mine.list()).toEqual([]);
  });
});
