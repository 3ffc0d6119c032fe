import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type FromFrame, type TextPlace, type ToFrame, withoutSpaces } from '../../../preview/messages.ts';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Segment } from '../segment-filter.ts';
import styles from './preview.module.css';
import type { PreviewProps, Side } from './preview-props.ts';
import { useFile } from './use-file.ts';

/**
 * Shows a Word file in a frame with an opaque origin, because the markup of the file is untrusted. A Word file has no
 * fixed pages, so a segment is found by its text and by the number of earlier segments with the same text.
 */
export default function WordFrame(props: PreviewProps) {
  const file = useFile(props.document, props.side);
  return (
    <Read from={file} lines={20}>
      {(read) => <Frame {...props} {...read} />}
    </Read>
  );
}

function Frame({
  document,
  side,
  current,
  onOpen,
  artifactId,
  bytes,
}: PreviewProps & { artifactId: string; bytes: Uint8Array<ArrayBuffer> }) {
  const t = useT();
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const place = usePlace(document.id, side, current, artifactId);
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<FromFrame>) => {
      // Messages from other windows are ignored: any window may send messages to this one.
      if (source !== frame.current?.contentWindow) return;
      if (data.kind === 'ready') setReady(true);
      else if (data.kind === 'failed') setFailed(true);
      else if (data.kind === 'open' && Array.isArray(data.places))
        void positionOf(document.id, side, data.places).then(
          (position) => {
            if (position === undefined) announce(t('documents.no_segment_there'));
            else onOpen(position);
          },
          () => announce(t('common.unreachable')),
        );
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [document.id, side, onOpen, t]);
  useEffect(() => {
    if (!isReady) return;
    setFailed(false);
    tell(frame.current, { kind: 'file', bytes });
  }, [isReady, bytes]);
  useEffect(() => {
    if (isReady && place !== undefined) tell(frame.current, { kind: 'mark', place });
  }, [isReady, place]);
  return (
    <>
      {isFailed && <p className="problem">{t('documents.preview_failed')}</p>}
      <iframe
        ref={frame}
        className={styles.frame}
        sandbox="allow-scripts"
        src={`${deployment.basePath}/app/preview/word`}
        title={t(`documents.pages_${side}`)}
      />
    </>
  );
}

function tell(frame: HTMLIFrameElement | null, message: ToFrame): void {
  // The target is `*`, because an opaque origin has no name. This is safe: the frame shows a URL of this service, and
  // the policy of the page allows no other.
  frame?.contentWindow?.postMessage(message, '*');
}

function textOf(segment: Segment, side: Side): string {
  return side === 'source' ? segment.source_text : (segment.target_text ?? segment.source_text);
}

/** The segments whose text equals `text`, in reading order. Spaces are ignored. */
async function segmentsOfText(documentId: string, side: Side, text: string): Promise<Segment[]> {
  const [needle = ''] = text
    .split(/[\t\n]/)
    .map((line) => line.trim())
    .toSorted((a, b) => b.length - a.length);
  if (needle === '') return [];
  const page = await client.documents.search({
    document_id: documentId,
    text: needle.slice(0, maxTextLength),
    // In the translated file, segments without a translation show their source text.
    text_in: side === 'source' ? 'source' : 'either',
    limit: 500,
  });
  const sought = withoutSpaces(text);
  return page.segments.filter((segment) => withoutSpaces(textOf(segment, side)) === sought);
}

/** The maximum number of places that are searched for one click: a text between tabs, and its paragraph. */
const maxPlaces = 4;

/** The position of the segment that is shown in the first possible place; undefined if none shows a segment. */
async function positionOf(
  documentId: string,
  side: Side,
  places: readonly Partial<TextPlace>[],
): Promise<number | undefined> {
  for (const { text, occurrence = 0 } of places.slice(0, maxPlaces)) {
    if (typeof text !== 'string') continue;
    const found = await segmentsOfText(documentId, side, text);
    const segment = found[occurrence] ?? found[0];
    if (segment) return segment.position;
  }
  return undefined;
}

/** The paragraph of the current segment in a file; null without a current segment, undefined while it is loading. */
function usePlace(
  documentId: string,
  side: Side,
  current: number | null,
  artifactId: string,
): TextPlace | null | undefined {
  const { data } = useQuery({
    queryKey: [...queryKeys.documents.place(documentId, side, current), artifactId],
    queryFn: async (): Promise<TextPlace | null> => {
      const page = await client.documents.search({
        document_id: documentId,
        position: current ?? 0,
        limit: 1,
      });
      const [segment] = page.segments;
      if (!segment) return null;
      const text = textOf(segment, side);
      const same = await segmentsOfText(documentId, side, text);
      return {
        text,
        occurrence: Math.max(
          0,
          same.findIndex(({ position }) => position === current),
        ),
      };
    },
    enabled: current !== null,
  });
  return current === null ? null : data;
}
