import { getDocument, type PDFDocumentProxy, PDFWorker, version } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Loading, Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { startWorker } from '../../parts/start-worker.ts';
import { pageOfPosition, useOutline } from '../outline.ts';
import { pagesInFile } from './pages-in-file.ts';
import { type PageSize, PdfPage } from './pdf-page.tsx';
import styles from './preview.module.css';
import type { PreviewProps } from './preview-props.ts';
import { useFile } from './use-file.ts';

/** A PDF file as a column of pages. A page is painted shortly before it becomes visible. */
export default function PdfPages(props: PreviewProps) {
  const file = useFile(props.document, props.side);
  return (
    <Read from={file} lines={20}>
      {({ bytes, artifactId }) => <Pages {...props} bytes={bytes} artifactId={artifactId} />}
    </Read>
  );
}

/** An open file, and the size of its first page, which the other pages probably have, too. */
interface Opened {
  artifactId: string;
  pdf: PDFDocumentProxy;
  firstSize: PageSize;
}

function Pages({
  bytes,
  artifactId,
  ...props
}: PreviewProps & { bytes: Uint8Array<ArrayBuffer>; artifactId: string }) {
  const t = useT();
  const { document, current, side } = props;
  const outline = useOutline(document.id);
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Opened>();
  const [error, setError] = useState<unknown>();
  const shown = useRef<ReturnType<typeof openPdf>>(undefined);
  useEffect(() => {
    // Clears the error of the previous file.
    setError(undefined);
    const opening = openPdf(bytes);
    let isLate = false;
    void opening.promise
      .then(async (pdf) => {
        const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
        if (isLate) return;
        setOpened({ artifactId, pdf, firstSize: { width, height } });
        // The previous file was shown until now, and is closed.
        void shown.current?.destroy();
        shown.current = opening;
      })
      .catch((thrown: unknown) => {
        if (!isLate) setError(thrown);
      });
    return () => {
      isLate = true;
      if (shown.current !== opening) void opening.destroy();
    };
  }, [bytes, artifactId]);
  useEffect(() => () => void shown.current?.destroy(), []);
  if (error) return <Problem error={error} />;
  if (!opened) return <Loading lines={20} />;
  const currentPage = outline.data && pageOfPosition(outline.data, current);
  return (
    <section
      ref={scroller}
      className={styles.pages}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      aria-label={t(`documents.pages_${side}`)}
    >
      {pagesInFile(document.request, side, opened.pdf.numPages).map((pageInFile, index) => (
        <PdfPage
          key={pageInFile}
          {...props}
          pdf={opened.pdf}
          artifactId={opened.artifactId}
          number={index + 1}
          pageInFile={pageInFile}
          likelySize={opened.firstSize}
          scroller={scroller}
          isCurrent={currentPage === index + 1}
        />
      ))}
    </section>
  );
}

let worker: PDFWorker | undefined;

/**
 * The directory of the build with resources that PDF.js needs for some files: character maps, standard fonts, image
 * decoders.
 */
const resources = `${location.origin}${deployment.basePath}/static/pdfjs-${version}/`;

/** Opens a PDF file. @returns a promise of the file, and a function that closes the file */
function openPdf(bytes: Uint8Array<ArrayBuffer>): {
  promise: Promise<PDFDocumentProxy>;
  destroy: () => Promise<void>;
} {
  // All files in this tab share one worker.
  worker ??= new PDFWorker({
    // The package's types declare `port` as always null, although null is only its default.
    port: startWorker(workerAddress) as unknown as null,
  });
  return getDocument({
    // A copy, because PDF.js transfers the bytes to the worker.
    data: bytes.slice(),
    worker,
    cMapUrl: `${resources}cmaps/`,
    standardFontDataUrl: `${resources}standard_fonts/`,
    wasmUrl: `${resources}wasm/`,
    iccUrl: `${resources}iccs/`,
    enableXfa: false,
  });
}
