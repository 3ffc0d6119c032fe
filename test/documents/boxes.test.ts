import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { allOf, childOf, childrenOf, type Element, parse, partsOf, textOf } from '../formats/docx-walk.ts';
import { walkWorkbook } from '../formats/xlsx-walk.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10000000' }, engine });

const mine = useDocuments(app, engine);

interface Box {
  position: number;
  region_id: string;
  cell_id: string | null;
  page: number | null;
  source_rectangles: number[][] | null;
  target_rectangles: number[][] | null;
  anchor: Record<string, string | number> & { type: string };
}

async function boxes(id: string, input: Fields = {}) {
  const { status, body } = await mine.query('boxes', { document_id: id, ...input });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as { boxes: Box[]; translated_artifact_id: string | null; next_cursor: string | null };
}

async function translated(path: string, fields: Fields = {}) {
  const source_document = new File([new Uint8Array(corpusFile(path))], path.slice(path.indexOf('/') + 1));
  const { id } = await mine.translate([], { source_document, ...fields });
  const segments: Fields[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await mine.segments(id, `?limit=500${cursor && `&cursor=${cursor}`}`);
    segments.push(...page.segments);
    cursor = page.next_cursor;
  }
  return { id, segments };
}

const letters = (text: unknown): string => String(text).replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a paragraph contains the words of a segment in order. Results of fields may be between the words. */
function shows(paragraph: Element | undefined, text: unknown): boolean {
  const shown = paragraph ? letters(allOf(paragraph, 't').map(textOf).join('')) : '';
  let end = 0;
  return (String(text).match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => {
    const at = shown.indexOf(word, end);
    end = at + word.length;
    return at >= 0;
  });
}

describe('the boxes of a PDF', () => {
  /** A file of four pages, one in each rotation. */
  const path = 'pdf/made-rotations-labels-links.pdf';

  test('are the rectangles of its segments, page by page', async () => {
    const { id, segments } = await translated(path);
    const pages = [...new Set(segments.map(({ page }) => page as number))];
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) {
      const expected = segments.flatMap((segment, position) =>
        segment['page'] === page
          ? [
              {
                position,
                region_id: segment['region_id'],
                cell_id: null,
                kind: segment['kind'],
                page,
                source_rectangles: segment['source_rectangles'],
                target_rectangles: segment['target_rectangles'],
                corrected: false,
                needs_review: false,
                anchor: { type: 'page', page },
              },
            ]
          : [],
      );
      expect((await boxes(id, { page })).boxes).toEqual(expected);
      expect(expected[0]?.target_rectangles).toHaveLength(1);
    }
    expect((await boxes(id, { page: 1000 })).boxes).toEqual([]);
  });

  test('name the file that they belong to, which a correction replaces', async () => {
    const { id, segments } = await translated(path);
    const [, first] = await mine.artifacts(id);
    const before = await boxes(id, { page: 1 });
    expect(before.translated_artifact_id).toBe(first.id);
    const { region_id } = segments[0]!;
    await mine.reviewDocument(id, { corrections: [{ region_id, target_text: 'Bref' }] });
    const [, , second] = await mine.artifacts(id);
    const after = await boxes(id, { page: 1 });
    expect(after.translated_artifact_id).toBe(second.id);
    expect(after.boxes[0]).toMatchObject({
      corrected: true,
      source_rectangles: before.boxes[0]!.source_rectangles,
    });
    expect(after.boxes[0]!.target_rectangles).not.toEqual(before.boxes[0]!.target_rectangles);
  });
});

/** Finds the paragraph to which an anchor in a Word file refers, without the engine's reader. */
function paragraphAt(part: Element, { anchor }: Box): Element | undefined {
  const body = childOf(part, 'body') ?? part;
  const blocksOf = (element: Element): Element[] =>
    childrenOf(element).flatMap((child) => (child.name === 'customXml' ? blocksOf(child) : [child]));
  const named = (element: Element | undefined, name: string) =>
    element ? blocksOf(element).filter((one) => one.name === name) : [];
  if (anchor.type === 'paragraph') return named(body, 'p')[Number(anchor['paragraph']) - 1];
  const tables = (element: Element): Element[] =>
    blocksOf(element).flatMap((child) => {
      if (child.name === 'tbl') return [child, ...tables(child)];
      return child.name === 'tr' || child.name === 'tc' ? tables(child) : [];
    });
  const table = tables(body)[Number(anchor['table']) - 1];
  const row = named(table, 'tr')[Number(anchor['row']) - 1];
  return named(named(row, 'tc')[Number(anchor['column']) - 1], 'p')[Number(anchor['paragraph']) - 1];
}

describe('the boxes of a DOCX', () => {
  test.each(['nested-tables-images', 'header-footer-fields'])(
    'name paragraphs that have the text, in the source and in the result: %s',
    async (name) => {
      const { id, segments } = await translated(`docx/${name}.docx`);
      const all: Box[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await boxes(id, { limit: 2000, ...(cursor && { cursor }) });
        all.push(...page.boxes);
        cursor = page.next_cursor;
      }
      expect(all).toHaveLength(segments.length);
      const result = new Uint8Array(await (await mine.download(id)).arrayBuffer());
      const files = { source_text: corpusFile(`docx/${name}.docx`), target_text: result };
      for (const [text, bytes] of Object.entries(files)) {
        const parts = new Map(Object.entries(partsOf(bytes)).map(([path, xml]) => [path, () => parse(xml)]));
        const parsed = new Map<string, Element>();
        const missing = all.filter((box) => {
          if (box.anchor.type === 'object') return false;
          const part = String(box.anchor['part']);
          if (!parsed.has(part)) parsed.set(part, parts.get(part)!());
          return !shows(paragraphAt(parsed.get(part)!, box), segments[box.position]![text]);
        });
        expect(missing.map(({ anchor, position }) => [anchor, segments[position]![text]])).toEqual([]);
      }
      expect(all.every(({ source_rectangles }) => source_rectangles === null)).toBe(true);
      const objects = all.filter(({ anchor }) => anchor.type === 'object');
      expect(objects.map(({ anchor: { part, object } }) => `${part}, ${object}`)).toEqual(
        (name === 'nested-tables-images' ? [1, 2, 3, 4, 5, 6] : []).map(
          (number) => `word/document.xml, tip of a link ${number}`,
        ),
      );
    },
  );
});

describe('the boxes of an XLSX with objects', () => {
  test('name the sheet and the object of a comment, and the outline names the sheet', async () => {
    const { id, segments } = await translated('xlsx/rich-text-image-comments.xlsx', { include: 'comments' });
    const { boxes: all } = await boxes(id, { limit: 2000 });
    const comments = all.filter(({ position }) => segments[position]!['kind'] === 'text_block');
    expect(comments.length).toBeGreaterThan(0);
    for (const { anchor } of comments)
      expect(anchor).toEqual({ type: 'sheet_object', object: expect.stringMatching(/, comment [A-Z]+\d+$/) });
    const { body } = await mine.query('outline', { document_id: id });
    for (const { sheet } of body.pages) expect(sheet).not.toMatch(/[!,]/);
  });
});

describe('the boxes of an XLSX', () => {
  test.each(['thirty-sheets', 'japanese-phonetic'])(
    'name cells that have the text, in the source and in the result: %s',
    async (name) => {
      const { id, segments } = await translated(`xlsx/${name}.xlsx`);
      const sheets = [...new Set(segments.map(({ page }) => page as number))];
      const result = new Uint8Array(await (await mine.download(id)).arrayBuffer());
      const files = { source_text: corpusFile(`xlsx/${name}.xlsx`), target_text: result };
      let found = 0;
      const walkedFiles = Object.entries(files).map(
        ([text, bytes]) => [text, walkWorkbook(bytes).sheets] as const,
      );
      for (const page of sheets) {
        const { boxes: cells } = await boxes(id, { page, limit: 2000 });
        found += cells.length;
        for (const [text, walked] of walkedFiles) {
          for (const { anchor, position } of cells) {
            expect(anchor.type).toBe('sheet_cell');
            const sheet = walked.find((one) => one.name === anchor['sheet']);
            const cell = sheet?.cells.find(({ reference }) => reference === anchor['cell']);
            expect(letters(cell?.text), JSON.stringify(anchor)).toBe(letters(segments[position]![text]));
          }
        }
      }
      expect(found).toBe(segments.length);
    },
  );
});
