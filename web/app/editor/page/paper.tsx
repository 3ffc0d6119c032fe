import { Pin } from 'lucide-react';
import type { PDFPageProxy } from 'pdfjs-dist';
import { type KeyboardEvent, type PointerEvent, type Ref, useEffect, useRef, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { pageMark } from '../../keys/use-commands.ts';
import { Loading, Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { pagesInFile } from '../preview/pages-in-file.ts';
import { Canvas, type Placed, place, rectanglesOf, useBoxes } from '../preview/pdf-page.tsx';
import { usePdf } from '../preview/pdf-pages.tsx';
import type { Side } from '../preview/preview-props.ts';
import { scrollWithin, useFile } from '../preview/use-file.ts';
import styles from './page.module.css';
import type { PageText, Place } from './page-texts.ts';

export interface PaperProps {
  document: TenantDocumentJob;
  side: Side;
  page: number;
  zoom: number;
  /** Another value if the page is shown in another size. */
  size: string;
  texts: readonly PageText[];
  chosen: readonly string[];
  /** The places to look at, which are marked. */
  places: readonly Place[];
  /** The texts of fixes that are not stored or not shown yet. */
  touched: ReadonlySet<string>;
  /** Whether all texts show their place in the reading order. */
  isNumbered: boolean;
  /** Whether the shown page is older than its texts. */
  isBusy: boolean;
  holders: ReadonlyMap<number, readonly string[]>;
  /** The frames of the texts have the focus together. */
  focus: Ref<HTMLDivElement>;
  /** @param add adds the texts to the selection, or removes them; `range`: adds all between them and the selection */
  onChoose: (ids: readonly string[], add?: 'toggle' | 'range') => void;
  onWrite: (id: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: () => void;
}

/** A page of a file, with a frame around each text. */
export function Paper(props: PaperProps) {
  const file = useFile(props.document, props.side);
  return (
    <Read from={file} lines={20}>
      {({ bytes, artifactId }) => <Opened {...props} bytes={bytes} artifactId={artifactId} />}
    </Read>
  );
}

function Opened({ bytes, ...props }: PaperProps & { bytes: Uint8Array<ArrayBuffer>; artifactId: string }) {
  const { document, side, page, artifactId } = props;
  const { opened, error } = usePdf(bytes, artifactId);
  const [shown, setShown] = useState<{ page: PDFPageProxy; number: number; artifactId: string }>();
  useEffect(() => {
    if (!opened) return;
    let isLate = false;
    const inFile = pagesInFile(document.request, side, opened.pdf.numPages)[page - 1] ?? page;
    void opened.pdf.getPage(inFile).then(
      (read) => isLate || setShown({ page: read, number: page, artifactId: opened.artifactId }),
      // An error here means that the file was closed.
      () => {},
    );
    return () => {
      isLate = true;
    };
  }, [opened, page, side, document.request]);
  if (error) return <Problem error={error} />;
  if (!shown) return <Loading lines={20} />;
  return <Sheet {...props} {...shown} pdfPage={shown.page} page={page} />;
}

/** Pixels that the pointer moves before it draws a rectangle. */
const minDrag = 5;

function Sheet({
  pdfPage,
  number,
  artifactId,
  ...props
}: PaperProps & { pdfPage: PDFPageProxy; number: number; artifactId: string }) {
  const t = useT();
  const { side, texts, chosen, zoom, holders, touched, isBusy, onChoose } = props;
  const viewport = pdfPage.getViewport({ scale: 1 });
  const { width, height } = viewport;
  const boxes = useBoxes(props.document.id, number, side, artifactId);
  const places = new Map<string, readonly Placed[]>();
  for (const { id, rectangles } of texts) {
    const box = boxes?.find(({ region_id }) => region_id === id);
    const own = box ? rectanglesOf(box, side) : [];
    places.set(
      id,
      (own.length > 0 ? own : rectangles).map((one) => place(one, viewport)),
    );
  }
  const sheet = useRef<HTMLDivElement>(null);
  const current = chosen.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is at another place
  useEffect(() => {
    const frame = sheet.current?.querySelector(`[data-text="${CSS.escape(current ?? '')}"]`);
    if (frame) scrollWithin(sheet.current?.closest('[data-scroller]') ?? null, frame);
  }, [current, boxes]);
  const lasso = useLasso((area) =>
    onChoose(texts.filter(({ id }) => places.get(id)?.some((one) => overlap(one, area))).map(({ id }) => id)),
  );
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const id = (event.target as Element).closest<HTMLElement>('[data-text]')?.dataset['text'];
    if (id === undefined) return lasso.begin(event);
    const isTouch = event.pointerType === 'touch';
    onChoose(
      [id],
      event.shiftKey ? 'range' : event.ctrlKey || event.metaKey || isTouch ? 'toggle' : undefined,
    );
  };
  const isOfPage = number === props.page;
  const listId = `texts-${side}`;
  return (
    // The page of a file is never mirrored.
    <div
      ref={sheet}
      className={styles.sheet}
      dir="ltr"
      data-busy={isBusy || undefined}
      style={{
        inlineSize: `calc(min(100%, ${(width * 4) / 3}px) * ${zoom})`,
        aspectRatio: `${width} / ${height}`,
      }}
    >
      <Canvas key={props.size} page={pdfPage} number={number} />
      <div
        {...pageMark}
        ref={props.focus}
        role="listbox"
        className={styles.texts}
        aria-multiselectable
        aria-label={t('pageView.texts', { page: number })}
        aria-activedescendant={current && places.has(current) ? `${listId}-${current}` : undefined}
        tabIndex={0}
        onKeyDown={props.onKeyDown}
        onFocus={props.onFocus}
        onPointerDown={onPointerDown}
        onPointerMove={lasso.move}
        onPointerUp={lasso.end}
        onPointerCancel={lasso.end}
        onDoubleClick={({ target }) => {
          const id = (target as Element).closest<HTMLElement>('[data-text]')?.dataset['text'];
          if (id !== undefined) props.onWrite(id);
        }}
      >
        {isOfPage &&
          texts.map((text, index) => (
            <Frames
              key={text.id}
              id={`${listId}-${text.id}`}
              text={text}
              places={places.get(text.id) ?? []}
              badge={
                text.segment &&
                (props.isNumbered ? index + 1 : chosen.includes(text.id) && text.segment.position + 1)
              }
              isChosen={chosen.includes(text.id)}
              doubt={props.places.findIndex(({ region_ids }) => region_ids.includes(text.id)) + 1}
              isTouched={touched.has(text.id)}
              holders={(text.segment && holders.get(text.segment.position)) ?? []}
            />
          ))}
        {lasso.area && <i className={styles.lasso} style={styleOf(lasso.area)} />}
      </div>
    </div>
  );
}

/** The frames of a text: one for each of its places. The first one has its name. */
function Frames({
  id,
  text: { id: region, segment, text, isKept },
  places,
  badge,
  isChosen,
  doubt,
  isTouched,
  holders,
}: {
  id: string;
  text: PageText;
  places: readonly Placed[];
  badge: number | false | undefined;
  isChosen: boolean;
  /** The number of the place to look at that has the text; 0 if none has it. */
  doubt: number;
  isTouched: boolean;
  holders: readonly string[];
}) {
  const t = useT();
  const name = [
    segment && t('documents.segment_n', { number: segment.position + 1 }),
    text,
    isKept && t('pageView.kept'),
    doubt > 0 && t('pageView.place_to_look_at'),
    holders.length > 0 && t('editor.written_by', { name: holders.join(', ') }),
  ];
  const marks = {
    'data-text': region,
    'data-kept': isKept || undefined,
    'data-doubt': doubt > 0 || undefined,
    'data-chosen': isChosen || undefined,
    'data-touched': isTouched || undefined,
    'data-held': holders.length > 0 || undefined,
  };
  return places.map((one, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: places have no other identity
      key={index}
      {...marks}
      {...(index === 0
        ? { role: 'option', id, 'aria-selected': isChosen, 'aria-label': name.filter(Boolean).join('. ') }
        : { role: 'presentation' })}
      title={holders.join(', ') || undefined}
      className={styles.frame}
      // A small text in the frame of a larger one is above it.
      style={{ ...styleOf(one), zIndex: Math.max(1, Math.round(100 - Math.sqrt(one[2] * one[3]))) }}
    >
      {index === 0 && isKept && <Pin size={10} aria-hidden className={styles.pin} />}
      {index === 0 && doubt > 0 && <i aria-hidden className={styles.doubt} data-number={doubt} />}
      {index === 0 && badge && <b aria-hidden>{badge}</b>}
    </div>
  ));
}

const styleOf = ([left, top, width, height]: Placed) => ({
  ...{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` },
});

function overlap([x1, y1, w1, h1]: Placed, [x2, y2, w2, h2]: Placed): boolean {
  return x1 < x2 + w2 && x2 < x1 + w1 && y1 < y2 + h2 && y2 < y1 + h1;
}

/** A rectangle that the pointer draws around texts, in percent of the page. A finger scrolls instead. */
function useLasso(onChoose: (area: Placed) => void) {
  const [from, setFrom] = useState<{ x: number; y: number }>();
  const [area, setArea] = useState<Placed>();
  return {
    area,
    begin(event: PointerEvent<HTMLElement>) {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setFrom({ x: event.clientX, y: event.clientY });
    },
    move({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>) {
      if (!from || Math.hypot(clientX - from.x, clientY - from.y) < minDrag) return;
      const frame = currentTarget.getBoundingClientRect();
      setArea([
        (100 * (Math.min(clientX, from.x) - frame.left)) / frame.width,
        (100 * (Math.min(clientY, from.y) - frame.top)) / frame.height,
        (100 * Math.abs(clientX - from.x)) / frame.width,
        (100 * Math.abs(clientY - from.y)) / frame.height,
      ]);
    },
    end() {
      if (from) onChoose(area ?? [-1, -1, 0, 0]);
      setFrom(undefined);
      setArea(undefined);
    },
  };
}
