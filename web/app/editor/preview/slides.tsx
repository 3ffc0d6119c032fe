import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { languageOf } from '../../parts/language-text.tsx';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Segment } from '../segment-filter.ts';
import { PagedSegments } from './paged-segments.tsx';
import preview from './preview.module.css';
import styles from './preview.module.css';
import type { PreviewProps } from './preview-props.ts';
import { useFile } from './use-file.ts';

/**
 * Shows the slides of a presentation: each text at the place of its shape, without pictures and colors. The texts of
 * charts, diagrams, notes and comments follow below the slide. The texts of OpenDocument files, whose places on the page are
 * not known, are a list.
 */
export default function Slides(props: PreviewProps) {
  const format = props.document.source_format;
  if (format === 'pptx') return <PlacedSlides {...props} />;
  return (
    <PagedSegments {...props} label={format === 'odp' ? 'documents.slide' : undefined}>
      {(segments, language) => <Slide {...props} segments={segments} language={language} />}
    </PagedSegments>
  );
}

function PlacedSlides(props: PreviewProps) {
  const file = useFile(props.document, 'source');
  return (
    <Read from={file} lines={20}>
      {({ artifactId, bytes }) => <SizedSlides {...props} artifactId={artifactId} bytes={bytes} />}
    </Read>
  );
}

function SizedSlides({
  artifactId,
  bytes,
  ...props
}: PreviewProps & { artifactId: string; bytes: Uint8Array<ArrayBuffer> }) {
  const size = useQuery({
    queryKey: queryKeys.documents.slideSize(artifactId),
    queryFn: () => readSlideSize(bytes),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Read from={size} lines={20}>
      {(found) => (
        <PagedSegments {...props} label="documents.slide">
          {(segments, language) => <Slide {...props} size={found} segments={segments} language={language} />}
        </PagedSegments>
      )}
    </Read>
  );
}

interface SlideProps extends PreviewProps {
  /** The size of a slide, if the places of its texts are known. */
  size?: SlideSize;
  segments: readonly Segment[];
  language: string;
}

function Slide({ size, segments, ...props }: SlideProps) {
  const slide = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked text is another one when these change
  useEffect(() => {
    slide.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.current, segments]);
  const { shapes, others } = useMemo(() => byShape(segments), [segments]);
  return (
    <div ref={slide} className={preview.pages}>
      {size && (
        <div className={styles.slide} style={{ aspectRatio: `${size.width} / ${size.height}` }}>
          {shapes.map((texts) => (
            <Shape key={texts[0]?.position} {...props} size={size} segments={texts} />
          ))}
        </div>
      )}
      {others.map((segment) => (
        <Text key={segment.position} {...props} segment={segment} />
      ))}
    </div>
  );
}

/** The texts of a shape or a cell. They have the largest size at which they probably fit. */
function Shape({ size, segments, ...props }: SlideProps & { size: SlideSize }) {
  const [left = 0, bottom = 0, right = 0, top = 0] = segments[0]?.source_rectangles?.[0] ?? [];
  const length = segments.reduce((sum, segment) => sum + textOf(segment, props.side).length, 0);
  const fitting = Math.sqrt(((right - left) * (top - bottom)) / Math.max(1, length));
  const points = Math.min(size.height / 16, Math.max(size.height / 60, fitting));
  return (
    <div
      className={styles.shape}
      style={{
        left: `${(left / size.width) * 100}%`,
        top: `${(1 - top / size.height) * 100}%`,
        width: `${((right - left) / size.width) * 100}%`,
        minHeight: `${((top - bottom) / size.height) * 100}%`,
        fontSize: `${(points / size.width) * 100}cqw`,
      }}
    >
      {segments.map((segment) => (
        <Text key={segment.position} {...props} segment={segment} />
      ))}
    </div>
  );
}

function Text({
  segment,
  language,
  side,
  current,
  onOpen,
}: Omit<SlideProps, 'size' | 'segments'> & { segment: Segment }) {
  return (
    <button
      type="button"
      className={styles.text}
      aria-current={segment.position === current || undefined}
      aria-description={segment.place}
      data-flagged={segment.quality.needs_review || undefined}
      translate="no"
      {...languageOf(language)}
      onClick={() => onOpen(segment.position)}
    >
      {textOf(segment, side)}
    </button>
  );
}

function textOf(segment: Segment, side: PreviewProps['side']): string {
  return side === 'source' ? segment.source_text : (segment.target_text ?? segment.source_text);
}

/** Groups the segments of a slide by their shapes. `others` have no place on the slide. */
function byShape(segments: readonly Segment[]): { shapes: Segment[][]; others: Segment[] } {
  const placed = Map.groupBy(segments, ({ source_rectangles: places }) => places?.[0]?.join(' '));
  const others = placed.get(undefined) ?? [];
  placed.delete(undefined);
  return { shapes: [...placed.values()], others };
}

/** The width and the height of slides, in points. */
interface SlideSize {
  width: number;
  height: number;
}

/** The size of a slide with the usual proportions of older presentations. */
const usual: SlideSize = { width: 720, height: 540 };
const emusPerPoint = 12_700;
const mainPart = 'ppt/presentation.xml';

/** Reads the size of the slides of a PPTX file. Returns the usual size if it is not found. */
async function readSlideSize(file: Uint8Array<ArrayBuffer>): Promise<SlideSize> {
  const part = findPart(file, mainPart);
  if (!part) return usual;
  const inflated = new Blob([part]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const xml = await new Response(inflated).text();
  const size = /<(?:\w+:)?sldSz\s[^>]*>/.exec(xml)?.[0] ?? '';
  const side = (name: string) =>
    Number(new RegExp(`\\s${name}="(\\d+)"`).exec(size)?.[1] ?? 0) / emusPerPoint;
  const [width, height] = [side('cx'), side('cy')];
  return width > 0 && height > 0 ? { width, height } : usual;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;

/** Returns the deflated content of a file in a zip archive; undefined if the archive does not contain it deflated. */
function findPart(file: Uint8Array<ArrayBuffer>, name: string): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let end = file.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end--;
  if (end < 0) return undefined;
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= file.length && view.getUint32(at, true) === entrySignature) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    ) as [number, number, number];
    const own = new TextDecoder().decode(file.subarray(at + 46, at + 46 + nameLength));
    if (own.toLowerCase() === name && view.getUint16(at + 10, true) === 8) {
      const local = view.getUint32(at + 42, true);
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      return file.subarray(start, start + view.getUint32(at + 20, true));
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  return undefined;
}
