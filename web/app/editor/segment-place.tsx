import { useT } from '../i18n.tsx';

/** A place in the body of a Word file: `word/document.xml, paragraph 4` or `word/document.xml, table 2, row 1, cell 3`. */
const inBody =
  /^word\/document\.xml, (?:paragraph (\d+)|table (\d+), row (\d+), cell (\d+)(?:, paragraph \d+)?)$/;

/** The place of a segment in its file, in words if it is in the body of a Word file. */
export function SegmentPlace({ place }: { place: string }) {
  const t = useT();
  const [found, paragraph = '', table = '', row = '', cell = ''] = inBody.exec(place) ?? [];
  if (found === undefined) return <bdi>{place}</bdi>;
  if (paragraph) return t('editor.place_paragraph', { paragraph });
  return t('editor.place_cell', { table, row, cell });
}
