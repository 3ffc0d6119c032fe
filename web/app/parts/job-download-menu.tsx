import type { RefObject } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';
import type { GoldenFormat } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import styles from './job-downloads.module.css';

const formats: readonly GoldenFormat[] = ['txt', 'docx', 'pdf'];

/** The formats of a published translation. */
export default function JobDownloadMenu({
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
      <Menu className={styles['menu'] as string} aria-label={t('jobs.download_menu')} autoFocus="first">
        {formats.map((format) => (
          <MenuItem key={format} className={styles['item'] as string} onAction={() => onSelect(format)}>
            {t('jobs.download', { format: format.toUpperCase() })}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
