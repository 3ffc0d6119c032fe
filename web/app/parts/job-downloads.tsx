import { ChevronDown, Download } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { GoldenFormat } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';
import { saveFile } from './save-file.ts';

// The popover and its library load when it is first opened.
const JobDownloadPopover = lazy(() => import('./job-download-popover.tsx'));

/** A popover that downloads a published translation in any available format. */
export function JobDownloads({ jobId }: { jobId: string }) {
  const t = useT();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ format: GoldenFormat; error: unknown }>();
  const download = async (format: GoldenFormat) => {
    setOpen(false);
    setBusy(true);
    setFailed(undefined);
    try {
      const { bytes, fileName } = await client.translations.golden(jobId, { format });
      await saveFile({ fileName, body: bytes });
      announce(t('jobs.downloaded', { name: fileName }));
    } catch (error) {
      setFailed({ format, error });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={isBusy}
        onClick={() => setOpen(true)}
      >
        <Download size={15} aria-hidden />
        {t('jobs.download_menu')}
        <ChevronDown size={14} aria-hidden />
      </button>
      {isOpen && (
        <Suspense>
          <JobDownloadPopover
            trigger={trigger}
            onSelect={(format) => void download(format)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
      {failed && <Problem error={failed.error} retry={() => void download(failed.format)} />}
    </>
  );
}
