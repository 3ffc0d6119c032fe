import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { type TextContext, textContext } from '#server/matching/normal-form.ts';

/** The document to which segments belong. */
interface OfDocument {
  tenantId: string;
  documentId: string;
}

/**
 * Returns the context of each text of a document, by its key: a text is translated once, so its context is that of its
 * first place.
 * @param sourceKeys in hexadecimal
 */
export async function selectContexts(
  tx: Tx,
  { tenantId, documentId }: OfDocument,
  sourceKeys: ReadonlySet<string>,
): Promise<Map<string, TextContext>> {
  if (sourceKeys.size === 0) return new Map();
  const textAt = (place: string) => sql`(
    select s.source_text from document_segments s where s.tenant_id = ${tenantId} and s.document_id = ${documentId}
      and s.position = ${sql.raw(place)})`;
  const rows = await tx.execute<{ key: string; before: string | null; after: string | null }>(sql`
    select k.key, ${textAt('f.first - 1')} as before, ${textAt('f.first + 1')} as after
    from json_array_elements_text(${JSON.stringify([...sourceKeys])}::json) as k(key)
    cross join lateral (select min(o.position) as first from document_segments o
      where o.tenant_id = ${tenantId} and o.document_id = ${documentId} and o.source_key = decode(k.key, 'hex') offset 0) f`);
  return new Map(rows.map(({ key, before, after }) => [key, textContext(before, after)]));
}

/** Returns the context of the text of a segment; undefined if the document or the segment is unknown. */
export async function contextOfSegment(
  tx: Tx,
  { tenantId, documentId, position }: OfDocument & { position: number },
): Promise<TextContext | undefined> {
  const [segment] = await tx.execute<{ key: string }>(sql`
    select encode(source_key, 'hex') as key from document_segments
    where tenant_id = ${tenantId} and document_id = ${documentId} and position = ${position}`);
  return (
    segment && (await selectContexts(tx, { tenantId, documentId }, new Set([segment.key]))).get(segment.key)
  );
}

/** Number of segments that are read together. */
const segmentsOfPart = 1000;

/** The source of a segment, and its place in its file. */
interface PlacedText {
  place: string;
  kind: string;
  source_text: string;
}

/** Maximum cells without a segment in a row, such as numbers, so that the work for a row is bounded. */
const maxMissing = 8;

/** Maximum UTF-16 units of rows that are yielded together, so that their search is short. */
const unitsOfRows = 50_000;

/** Up to four words with capitals, or in a script without them. */
const likeName = /^(?:\p{Lu}|\p{Lo})[^\s|]*(?: (?:\p{Lu}|\p{Lo})[^\s|]*){0,3}$/u;

/**
 * Yields tables, from whose headers names are recognized. A cell of a row with fewer cells than its header stands also behind each
 * header that it can have: the others are numbers, for example.
 */
function* tables(rows: readonly PlacedText[]): Generator<string> {
  const lines = Map.groupBy(rows, ({ kind, place }) => (kind === 'table_cell' ? place : ''));
  lines.delete('');
  let header: string[] = [];
  let table = '';
  let before = Number.NEGATIVE_INFINITY;
  for (const [place, cells] of lines) {
    const texts = cells.map((cell) => cell.source_text);
    const line = Number(/^line (\d+)$/.exec(place)?.[1]);
    // Below the header, there is a line of dashes. Other places have no numbers.
    const isNext = !(line - before > 2);
    before = line;
    if (!isNext || table.length > unitsOfRows) {
      yield table;
      table = isNext ? header.join(' | ') : '';
    }
    if (!isNext || texts.length > header.length) header = texts;
    table += `\n${texts.join(' | ')}`;
    const missing = header.length - texts.length;
    if (missing === 0 || missing > maxMissing) continue;
    for (const [at, text] of texts.entries())
      if (likeName.test(text))
        for (const label of header.slice(at, at + missing + 1)) table += `\n${label}: ${text}`;
  }
  yield table;
}

/**
 * Yields the sources once more behind their keys and headers, from which names are recognized: “name: Doe” of JSON, and the lines of a
 * table.
 * @param headers the first cell of each column of a sheet
 */
function* labelledTexts(rows: readonly PlacedText[], headers: Map<string, string>): Generator<string> {
  yield* tables(rows);
  for (const { place, source_text: text } of rows) {
    const key = /^line \d+, (?:.*[./])?([^./]+)$/s.exec(place)?.[1];
    const column = /^(.*![A-Z]+)\d+$/s.exec(place)?.[1];
    if (column && !headers.has(column)) headers.set(column, text);
    const label = key ?? (column && headers.get(column));
    if (label) yield `${label}: ${text}`;
  }
}

/** Yields the sources of all segments of a document, in reading order, and those that have a label with it. */
export async function* sourceTexts(
  { database }: Pick<Services, 'database'>,
  { tenantId, documentId }: OfDocument,
): AsyncGenerator<string[]> {
  const headers = new Map<string, string>();
  for (let after = -1; ; ) {
    const rows = await database.inTenant(tenantId, (tx) =>
      tx.execute<PlacedText & { position: number; [column: string]: unknown }>(sql`
        select position, place, kind, source_text from document_segments
        where tenant_id = ${tenantId} and document_id = ${documentId} and position > ${after}
        order by position limit ${segmentsOfPart}`),
    );
    if (rows.length > 0)
      yield [...rows.map(({ source_text }) => source_text), ...labelledTexts(rows, headers)].filter(Boolean);
    if (rows.length < segmentsOfPart) return;
    after = rows.at(-1)!.position;
  }
}
