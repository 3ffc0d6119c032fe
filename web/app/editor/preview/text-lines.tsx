import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import styles from './preview.module.css';
import type { PreviewProps } from './preview-props.ts';
import { scrollWithin, useFile } from './use-file.ts';

/** Shows a text file, such as JSON, line by line. The line of the current segment is marked. */
export default function TextLines(props: PreviewProps) {
  const file = useFile(props.document, props.side);
  return (
    <Read from={file} lines={20}>
      {({ bytes }) => <Lines {...props} bytes={bytes} />}
    </Read>
  );
}

/** The number of lines that are shown. Longer files are cut: a browser cannot show hundreds of thousands of lines. */
const maxLines = 20_000;

function Lines({ document, side, current, onOpen, bytes }: PreviewProps & { bytes: Uint8Array }) {
  const t = useT();
  const lines = useMemo(() => linesOf(decode(bytes)), [bytes]);
  const { data: places } = useQuery({
    queryKey: queryKeys.documents.lines(document.id),
    queryFn: () => linesOfSegments(document.id),
  });
  const container = useRef<HTMLDivElement>(null);
  const marked = places?.find(({ position }) => position === current)?.line;
  useEffect(() => {
    if (marked === undefined) return;
    const line = container.current?.querySelector(`[data-line="${marked}"]`);
    if (line) scrollWithin(container.current, line);
  }, [marked]);
  const open = (line: number) => {
    const place = places?.findLast((one) => one.line <= line);
    if (place) onOpen(place.position);
    else announce(t('documents.no_segment_there'));
  };
  return (
    <section
      ref={container}
      aria-label={t(`documents.pages_${side}`)}
      className={styles.lines}
      translate="no"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      onClick={({ target }) => {
        const line = (target as Element).closest<HTMLElement>('[data-line]')?.dataset['line'];
        if (line !== undefined) open(Number(line));
      }}
    >
      {lines.map(({ number, text }) => (
        <div
          key={number}
          className={styles.line}
          data-line={number}
          aria-current={marked === number || undefined}
        >
          <span className={styles.lineNumber} aria-hidden>
            {number}
          </span>
          <span
            dir="auto"
            lang={side === 'source' ? document.request.source_lang : document.request.target_lang}
          >
            {text || '\u200b'}
          </span>
        </div>
      ))}
    </section>
  );
}

function linesOf(text: string): { number: number; text: string }[] {
  return text.split(/\r\n?|\n/, maxLines).map((line, index) => ({ number: index + 1, text: line }));
}

/** Decodes a file in UTF-8, or in UTF-16 with a byte order mark. */
function decode(bytes: Uint8Array): string {
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isBig ? 'utf-16be' : isLittle ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** The number of requests for the places of segments. The segments after the last one have no mark. */
const maxPages = 10;

/** Returns the line of each segment in the source file, in reading order. */
async function linesOfSegments(documentId: string): Promise<{ position: number; line: number }[]> {
  const found: { position: number; line: number }[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { boxes, next_cursor: next } = await client.documents.boxes({
      document_id: documentId,
      limit: 2000,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { position, anchor } of boxes) {
      const [, line] = anchor.type === 'line' ? (/^line (\d+)/.exec(anchor.place) ?? []) : [];
      if (line) found.push({ position, line: Number(line) });
    }
    if (next === null) break;
    cursor = next;
  }
  return found;
}
