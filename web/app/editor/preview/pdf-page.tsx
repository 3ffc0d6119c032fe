import { useQuery } from '@tanstack/react-query';
import type { PageViewport, PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { SegmentBox } from '../segment-filter.ts';
import styles from './preview.module.css';
import type { PreviewProps, Side } from './preview-props.ts';
import { scrollWithin } from './use-file.ts';

/** In points. */
export interface PageSize {
  width: number;
  height: number;
}

interface PageProps extends PreviewProps {
  pdf: PDFDocumentProxy;
  artifactId: string;
  /** The number of the page in the source, from 1. */
  number: number;
  /** The number of the page in the shown file. A bilingual file has more pages than the source. */
  pageInFile: number;
  /** The size of the placeholder until the page is loaded. */
  likelySize: PageSize;
  scroller: RefObject<HTMLDivElement | null>;
  /** Whether the page contains the current segment. */
  isCurrent: boolean;
}

/**
 * A page that marks the place of the current segment. A click opens the segment at the clicked place; keyboard users
 * open segments in the list.
 */
export function PdfPage(props: PageProps) {
  const { pdf, number, pageInFile, likelySize, scroller, isCurrent } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [page, setPage] = useState<PDFPageProxy>();
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: scroller.current,
      rootMargin: '600px 0px',
    });
    observer.observe(frame.current as Element);
    return () => observer.disconnect();
  }, [scroller]);
  const isShown = isNear || isCurrent;
  useEffect(() => {
    if (!isShown) return;
    let isLate = false;
    void pdf.getPage(pageInFile).then(
      (read) => {
        if (!isLate) setPage(read);
      },
      // An error here means that the file was closed.
      () => {},
    );
    return () => {
      isLate = true;
    };
  }, [isShown, pdf, pageInFile]);
  const viewport = page?.getViewport({ scale: 1 });
  const { width, height } = viewport ?? likelySize;
  return (
    // PDF.js places all glyphs from the left, but a canvas would inherit the direction of the page.
    <div ref={frame} className={styles.page} dir="ltr" style={{ aspectRatio: `${width} / ${height}` }}>
      {isShown && page && viewport && (
        <>
          <Canvas page={page} number={number} />
          <Marks {...props} viewport={viewport} />
        </>
      )}
    </div>
  );
}

/** Maximum width and height of a canvas, in pixels: a screen would not show more. */
const maxPixels = 2400;

function Canvas({ page, number }: { page: PDFPageProxy; number: number }) {
  const t = useT();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const { width, height } = page.getViewport({ scale: 1 });
    const shown = target.clientWidth * Math.min(window.devicePixelRatio, 2);
    const scale = Math.min(shown / width, maxPixels / Math.max(width, height));
    const viewport = page.getViewport({ scale });
    target.width = Math.round(viewport.width);
    target.height = Math.round(viewport.height);
    const task = page.render({ canvas: target, viewport });
    task.promise.catch(() => {
      // The rendering was canceled, or the page is damaged: the frame stays, with the part that was painted.
    });
    return () => task.cancel();
  }, [page]);
  return <canvas ref={canvas} role="img" aria-label={t('documents.page_n', { page: number })} />;
}

/** Left, top, width and height in percent of the displayed page. */
type Placed = readonly [number, number, number, number];

function Marks({
  document,
  side,
  current,
  onOpen,
  artifactId,
  number,
  scroller,
  viewport,
}: PageProps & { viewport: PageViewport }) {
  const marked = useRef<HTMLDivElement>(null);
  const { data } = useQuery({
    queryKey: queryKeys.documents.boxes(document.id, number, artifactId),
    queryFn: () => client.documents.boxes({ document_id: document.id, page: number, limit: 2000 }),
  });
  // The rectangles must belong to the file that is shown: those of another revision would mark the wrong words.
  const isOfFile = side === 'source' || data?.translated_artifact_id === artifactId;
  const boxes = data && isOfFile ? data.boxes : [];
  const own = boxes.find(({ position }) => position === current);
  const places = own ? rectanglesOf(own, side).map((rectangle) => place(rectangle, viewport)) : [];
  const isMarked = places.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another segment is another place
  useEffect(() => {
    if (marked.current) scrollWithin(scroller.current, marked.current);
  }, [current, isMarked, scroller]);
  const open = ({ currentTarget, clientX, clientY }: MouseEvent) => {
    const frame = currentTarget.getBoundingClientRect();
    const x = (100 * (clientX - frame.left)) / frame.width;
    const y = (100 * (clientY - frame.top)) / frame.height;
    const hit = boxes
      .flatMap((box) => rectanglesOf(box, side).map((one) => ({ box, place: place(one, viewport) })))
      .filter(
        ({ place: [left, top, width, height] }) =>
          x >= left && x <= left + width && y >= top && y <= top + height,
      )
      // Takes the smallest rectangle at this place, because the frame of a table may enclose its cells.
      .toSorted((a, b) => a.place[2] * a.place[3] - b.place[2] * b.place[3])[0];
    if (hit) onOpen(hit.box.position);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list of segments is the way for keys
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div className={styles.marks} onClick={open}>
      {places.map(([left, top, width, height], index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: rectangles have no other identity
          key={index}
          ref={index === 0 ? marked : null}
          className={styles.marked}
          data-marked
          style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
        />
      ))}
    </div>
  );
}

function rectanglesOf(box: SegmentBox, side: Side): readonly number[][] {
  return (side === 'source' ? box.source_rectangles : box.target_rectangles) ?? [];
}

/** @param rectangle left, bottom, right and top in the page's user space, before rotation */
function place(rectangle: readonly number[], viewport: PageViewport): Placed {
  const [left = 0, bottom = 0, right = 0, top = 0] = rectangle;
  const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(left, bottom) as number[];
  const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(right, top) as number[];
  const { width, height } = viewport;
  return [
    (100 * Math.min(x1, x2)) / width,
    (100 * Math.min(y1, y2)) / height,
    (100 * Math.abs(x2 - x1)) / width,
    (100 * Math.abs(y2 - y1)) / height,
  ];
}
