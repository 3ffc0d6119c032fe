import { describe, expect, test } from 'vitest';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const line = (text: string, x: number, y: number, size = 12) =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

/** A page with a title in two pieces, a sentence with two clauses, and a number. */
const page = [
  line('Half a', 60, 340, 24),
  line('dozen oysters', 60, 280, 24),
  line('Please ask our staff before you order. Open from noon.', 60, 200),
  line('Table 12', 60, 120),
  line('19.50', 60, 60),
].join('\n');

async function translated() {
  const bytes = await madePdf({ content: page });
  const source_document = new File([new Uint8Array(bytes)], 'menu.pdf', { type: 'application/pdf' });
  const { id } = await mine.translate([], { source_document });
  return id;
}

const texts = async (id: string) =>
  (await mine.segments(id)).segments.map((segment: Fields) => [segment['region_id'], segment['source_text']]);

async function mend(id: string, change: Fields, status = 200) {
  const response = await mine.mutate('mend', { document_id: id, mend: change });
  expect([response.status, response.body.detail]).toEqual([
    status,
    status === 200 ? undefined : expect.anything(),
  ]);
  return response.body;
}

describe('a mend of a PDF', () => {
  test('joins texts, translates only the new one, and can be undone', async () => {
    const id = await translated();
    const before = await texts(id);
    expect(before[0]).toEqual(['p1.b1', 'Half a']);
    engine.reset();
    const body = await mend(id, { action: 'join', region_ids: ['p1.b2', 'p1.b1'] });
    expect(await texts(id)).toEqual([['p1.b1-b2', 'Half a dozen oysters'], ...before.slice(2)]);
    expect(body.removed).toEqual([0, 1]);
    expect(body.translated_again).toEqual({ segments: 1, characters: 20 });
    expect(body.segments[0].target_text).toContain('Half a dozen oysters');
    expect(engine.texts()).toEqual(['Half a dozen oysters']);
    const undone = await mine.mutate('undo', { document_id: id, change_id: body.change_id });
    expect(undone.body.removed).toEqual(body.segments.map(({ position }: Fields) => position));
    expect(await texts(id)).toEqual(before);
  });
});
