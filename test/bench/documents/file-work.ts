import type { Segment, SegmentTranslation } from '#server/formats/document.ts';
import type { LayoutKind } from '#server/formats/document-kind.ts';
import { joinStrings } from '#server/formats/inline-content.ts';
import { type FileWork, openFileWork } from '#server/platform/sandbox/file-work.ts';
import type { RefusedFile } from '#server/platform/sandbox/tasks/layout-document.ts';
import { requirePremise } from '../load.ts';
import { processFigures } from '../process-figures.ts';

/** What the file work of one job took. */
export interface FileCost {
  segments: number;
  /** Milliseconds on the clock: in all, and of each task with its way to the child process and back. */
  ms: { all: number; check: number; extract: number; rebuild: number };
  /** Milliseconds of CPU time of the process that did it. */
  cpuMs: { check: number; extract: number; rebuild: number };
  /** Most bytes of resident memory of a child process. */
  peakBytes: number;
  rebuilt: Uint8Array;
}

/**
 * Does the file work of one job as the service does it: checks, extracts and rebuilds in child processes of the sandbox, which
 * are started for it. Each text gets the stub engine's translation.
 */
export async function workOnFile(format: LayoutKind, bytes: Uint8Array): Promise<FileCost> {
  const scope = { tenantId: 'bench' };
  const fileWork = openFileWork();
  const watch = watchChildren(fileWork);
  try {
    const begun = performance.now();
    const checked = await timed(watch, () =>
      // A PDF is not checked before its job exists.
      format === 'pdf'
        ? Promise.resolve({ ok: true as const })
        : fileWork.run('check_document', { format, bytes: bytes.slice() }, scope),
    );
    const extracted = await timed(watch, () =>
      fileWork.run('extract_document', { format, bytes: bytes.slice() }, scope),
    );
    const { segments } = unlessRefused(extracted.value);
    const payload = {
      format,
      bytes: bytes.slice(),
      translations: segments.map(translate),
      options: { sourceLanguage: 'en', targetLanguage: 'fr' },
    };
    const rebuilt = await timed(watch, () => fileWork.run('rebuild_document', payload, scope));
    unlessRefused(checked.value);
    const all = performance.now() - begun;
    requirePremise(segments.length > 0, 'the file has text');
    requirePremise(watch.peakBytes() > 0, 'the child processes are seen');
    return {
      segments: segments.length,
      ms: { all, check: checked.ms, extract: extracted.ms, rebuild: rebuilt.ms },
      cpuMs: { check: checked.cpuMs, extract: extracted.cpuMs, rebuild: rebuilt.cpuMs },
      peakBytes: watch.peakBytes(),
      rebuilt: unlessRefused(rebuilt.value).bytes,
    };
  } finally {
    watch.stop();
    await fileWork.close();
  }
}

const translate = ({ regionId, cellId, source }: Segment): SegmentTranslation => ({
  regionId,
  cellId,
  target: joinStrings(['[fr] ', ...source]),
});

function unlessRefused<T extends object>(result: T): Exclude<T, RefusedFile> {
  if ('refused' in result) throw new Error(`the file was refused: ${JSON.stringify(result)}`);
  return result as Exclude<T, RefusedFile>;
}

async function timed<T>(watch: ReturnType<typeof watchChildren>, work: () => Promise<T>) {
  const before = watch.cpuMs();
  const begun = performance.now();
  const value = await work();
  return { value, ms: performance.now() - begun, cpuMs: watch.cpuMs() - before };
}

/** Milliseconds between two looks at the processes. */
const lookEvery = 5;

/** Follows the CPU time and the peak memory of the child processes, as the system counts them; an ended one keeps its last figures. */
function watchChildren(fileWork: FileWork) {
  const seen = new Map<number, { cpuMs: number; peakBytes: number }>();
  const look = () => {
    for (const pid of fileWork.processIds) {
      const figures = processFigures(pid);
      if (figures) seen.set(pid, figures);
    }
  };
  const timer = setInterval(look, lookEvery);
  return {
    cpuMs: () => {
      look();
      return [...seen.values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    },
    peakBytes: () => Math.max(0, ...[...seen.values()].map(({ peakBytes }) => peakBytes)),
    stop: () => clearInterval(timer),
  };
}
