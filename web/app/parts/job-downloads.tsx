import { Download } from 'lucide-react';
import { useState } from 'react';
import type { GoldenFormat } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';
import { saveFile } from './save-file.ts';

const formats: readonly GoldenFormat[] = ['txt', 'docx', 'pdf'];

/** Downloads a published translation in any available format. */
export function JobDownloads({ jobId }: { jobId: string }) {
  const t = useT();
  const [busy, setBusy] = useState<GoldenFormat>();
  const [failed, setFailed] = useState<{ format: GoldenFormat; error: unknown }>();
  const download = async (format: GoldenFormat) => {
    setBusy(format);
    setFailed(undefined);
    try {
      const { bytes, fileName } = await client.translations.golden(jobId, { format });
      await saveFile({ fileName, body: bytes });
      announce(t('jobs.downloaded', { name: fileName }));
    } catch (error) {
      setFailed({ format, error });
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <>
      <div className="actions">
        {formats.map((format) => (
          <button
            key={format}
            type="button"
            className="small"
            disabled={busy !== undefined}
            onClick={() => void download(format)}
          >
            <Download size={16} aria-hidden /> {t('jobs.download', { format: format.toUpperCase() })}
          </button>
        ))}
      </div>
      {failed && <Problem error={failed.error} retry={() => void download(failed.format)} />}
    </>
  );
}
