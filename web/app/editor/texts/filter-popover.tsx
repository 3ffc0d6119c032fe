import type { RefObject } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import { useT } from '../../i18n.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import styles from '../editor.module.css';
import { type TextFilter, triggerCodes } from './filters.ts';
import { triggerNames } from './trigger-names.ts';

/** The filters of the texts by language and reason. */
export default function FilterPopover({
  trigger,
  filter,
  onChange,
  onClose,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
  filter: TextFilter;
  onChange: (name: 'source' | 'target' | 'trigger', value: string) => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      placement="bottom start"
      className={styles['moreFilters'] as string}
    >
      <Dialog aria-label={t('review.filters')}>
        <LanguageSelect
          label={t('review.source_lang')}
          any={t('review.any')}
          value={filter.source ?? ''}
          onChange={(source) => onChange('source', source)}
        />
        <LanguageSelect
          label={t('review.target_lang')}
          any={t('review.any')}
          value={filter.target ?? ''}
          onChange={(target) => onChange('target', target)}
        />
        <label>
          {t('review.reason')}
          <select value={filter.trigger ?? ''} onChange={({ target }) => onChange('trigger', target.value)}>
            <option value="">{t('review.any')}</option>
            {triggerCodes.map((code) => (
              <option key={code} value={code}>
                {t(triggerNames[code])}
              </option>
            ))}
          </select>
        </label>
      </Dialog>
    </Popover>
  );
}
