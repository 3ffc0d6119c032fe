import type { Segment, SegmentTranslation } from '#server/formats/document.ts';
import { joinStrings } from '#server/formats/inline-content.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { type FileWork, openFileWork } from '#server/platform/sandbox/file-work.ts';
import type { RefusedFile } from '#server/platform/sandbox/tasks/layout-document.ts';
import { requirePremise } from '../load.ts';
import { processFigures } from '../process-figures.ts';

/** The resources that the work on the file of one job needed. */
export interface FileCost {
  segments: number;
  /** Elapsed milliseconds: `all` in total, and of each task, including the communication with the child process. */
  ms: { all: number; check: number; extract: number; rebuild: number };
  /** Milliseconds of CPU time of the process that did the work. */
  cpuMs: { check: number; extract: number; rebuild: number };
  /** Maximum resident memory of a child process, in bytes. */
  peakBytes: number;
  rebuilt: Uint8Array;
}

/**
 * Does the work on the file of one job in the same way as the service: checks, extracts and reconstructs in new child
 * processes of the sandbox. Each text is translated by the stub engine.
 */
export async function workOnFile(format: LayoutKind, bytes: Uint8Array): Promise<FileCost> {
  return (await workOnFiles(format, [bytes]))[0]!;
}

/** Does the same for several files, one after the other, as a service under load: processes are used again. */
export async function workOnFiles(format: LayoutKind, files: readonly Uint8Array[]): Promise<FileCost[]> {
  const fileWork = openFileWork();
  try {
    const costs: FileCost[] = [];
    for (const bytes of files) costs.push(await costOf(fileWork, format, bytes));
    return costs;
  } finally {
    await fileWork.close();
  }
}

async function costOf(fileWork: FileWork, format: LayoutKind, bytes: Uint8Array): Promise<FileCost> {
  const scope = { tenantId: 'bench' };
  const watch = watchChildren(fileWork);
  try {
    const begun = performance.now();
    const checked = await timed(watch, () =>
      // A PDF file is not checked before its job exists.
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

/** Milliseconds between two reads of the processes' figures. */
const lookEvery = 5;

/**
 * Records the CPU time and peak memory of the child processes, as reported by the system. Figures of a process that has
 * ended stay.
 */
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
