import type { RefObject } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import type { GoldenFormat } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import styles from './job-downloads.module.css';

const formats: readonly GoldenFormat[] = ['txt', 'docx', 'pdf'];

/** The formats of a published translation. */
export default function JobDownloadPopover({
  trigger,
  onSelect,
  onClose,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
  onSelect: (format: GoldenFormat) => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      placement="bottom end"
      className={styles['popover'] as string}
    >
      <Dialog className={styles['menu'] as string} aria-label={t('jobs.download_menu')}>
        {formats.map((format) => (
          <button key={format} type="button" className="ghost" onClick={() => onSelect(format)}>
            {t('jobs.download', { format: format.toUpperCase() })}
          </button>
        ))}
      </Dialog>
    </Popover>
  );
}
