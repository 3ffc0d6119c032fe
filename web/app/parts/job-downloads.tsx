import { ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import type { GoldenFormat } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { translationService } from '../translation-service.ts';
import { announce } from './announcer.tsx';
import styles from './job-downloads.module.css';
import { PopoverButton } from './popover-button.tsx';
import { Problem } from './problem.tsx';
import { saveFile } from './save-file.ts';

const formats: readonly GoldenFormat[] = ['txt', 'docx', 'pdf'];

/** A popover that downloads a published translation in any available format. */
export function JobDownloads({ jobId }: { jobId: string }) {
  const t = useT();
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ format: GoldenFormat; error: unknown }>();
  const download = async (format: GoldenFormat) => {
    setBusy(true);
    setFailed(undefined);
    try {
      const { bytes, fileName } = await translationService.golden(jobId, { format });
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
      <PopoverButton
        aria-disabled={isBusy}
        opens={{
          label: t('jobs.download_menu'),
          placement: 'bottom end',
          className: styles['menu'],
          content: (close) =>
            formats.map((format) => (
              <button
                key={format}
                type="button"
                className="ghost"
                onClick={() => {
                  close();
                  void download(format);
                }}
              >
                {t('jobs.download', { format: format.toUpperCase() })}
              </button>
            )),
        }}
      >
        <Download size={15} aria-hidden />
        {t('jobs.download_menu')}
        <ChevronDown size={14} aria-hidden />
      </PopoverButton>
      {failed && <Problem error={failed.error} retry={() => void download(failed.format)} />}
    </>
  );
}
