import { Suspense } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { lazily } from '../parts/lazily.tsx';
import styles from './editor.module.css';
import { MarkedText } from './marked-text.tsx';
import type { EditedSegment } from './segment.ts';
import type { OpenText } from './use-open-text.ts';

const RecognizedWords = lazily(() => import('./recognized-words.tsx'));

/** The source of the open segment, and its place in the file. */
export function SourceCell({ segment, shown }: { segment: EditedSegment; shown: OpenText }) {
  const language = shown.languages.source;
  return (
    <div role="gridcell" className={styles['source']} tabIndex={-1}>
      <MarkedText text={shown.shownSource} marks={shown.marks.source} language={language} isSource />
      <div className={styles['place']}>
        <SegmentPlace place={segment.place} />
        {segment.context && (
          <>
            <br />
            <bdi>{segment.context}</bdi>
          </>
        )}
      </div>
      {segment.words && (
        <Suspense>
          <RecognizedWords words={segment.words} language={language} />
        </Suspense>
      )}
    </div>
  );
}

/** The forms of places that are shown in words. The groups are the values of the message. */
const forms: readonly (readonly [RegExp, MessageId])[] = [
  [/^(?:word\/document|content)\.xml, paragraph (?<paragraph>\d+)$/, 'editor.place_paragraph'],
  [
    /^(?:word\/document|content)\.xml, table (?<table>\d+), row (?<row>\d+), cell (?<cell>\d+)(?:, paragraph \d+)?$/,
    'editor.place_cell',
  ],
  [/^line (?<line>\d+)$/, 'editor.place_line'],
  [/^line (?<line>\d+), (?<key>.+)$/s, 'editor.place_line_key'],
  [/^page (?<page>\d+)$/, 'editor.place_page'],
  [
    /^page (?<page>\d+), table (?<table>\d+), row (?<row>\d+), column (?<column>\d+)$/,
    'editor.place_page_cell',
  ],
  [/^page (?<page>\d+), list (?<list>\d+), item (?<item>.+)$/, 'editor.place_page_item'],
  [/^page (?<page>\d+), heading$/, 'editor.place_page_heading'],
  [/^page (?<page>\d+), header$/, 'editor.place_page_header'],
  [/^page (?<page>\d+), footer$/, 'editor.place_page_footer'],
  [/^slide (?<slide>\d+), paragraph (?<paragraph>\d+)$/, 'editor.place_slide'],
  [/^slide (?<slide>\d+), notes, paragraph (?<paragraph>\d+)$/, 'editor.place_notes'],
];

/** The place of a segment in its file. */
function SegmentPlace({ place }: { place: string }) {
  const t = useT();
  for (const [form, message] of forms) {
    const values = form.exec(place)?.groups;
    if (values) return t(message, values);
  }
  return <bdi>{place}</bdi>;
}
