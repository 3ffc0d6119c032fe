import type { TranslationJob } from '#sdk/types.ts';
import { type MessageId, useT } from '../i18n.tsx';
import styles from './warnings.module.css';

type Warning = TranslationJob['warnings'][number];

/** Texts by code. For unknown codes, the service's message is shown. */
const texts: Readonly<Record<string, MessageId>> = {
  invalid_option: 'common.warning_invalid_option',
  unknown_option: 'common.warning_unknown_option',
  unknown_field: 'common.warning_unknown_field',
  same_language: 'common.warning_same_language',
  source_language_mismatch: 'common.warning_source_language',
  unregulated_domain: 'common.warning_domain',
  idempotency_request_differs: 'common.warning_key',
};

/** The warnings about the request of a job or document; nothing without warnings. */
export function Warnings({ of: warnings }: { of: readonly Warning[] }) {
  const t = useT();
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label={t('common.warnings')}>
      {warnings.map(({ code, field, message }) => {
        const text = texts[code];
        return (
          <li key={`${code} ${field} ${message}`} title={message}>
            {text ? t(text, { field: field ?? '' }) : <bdi lang="en">{message}</bdi>}
          </li>
        );
      })}
    </ul>
  );
}
