import type { TenantDocumentJob } from '#sdk/types.ts';
import type { MessageId, Translate } from '../i18n.tsx';

type Failure = Pick<NonNullable<TenantDocumentJob['failure']>, 'code' | 'error_type' | 'message'>;

/** The texts by the reason why a file was rejected, or else by the code of the failure. */
const texts: Readonly<Record<string, MessageId>> = {
  file_unreadable: 'problems.file_unreadable',
  file_protected: 'problems.file_protected',
  file_empty: 'problems.file_empty',
  file_not_text: 'problems.file_not_text',
  file_too_large: 'problems.file_too_large',
  file_selection: 'problems.file_selection',
  stage_timeout: 'problems.file_slow',
  quota_exceeded: 'problems.usage_limit',
  transient_error: 'problems.transient_error',
  interrupted: 'problems.file_interrupted',
};

/** Explains a failure in the interface language. For an unknown reason, returns the service's message. */
export function fileFailureText({ code, error_type, message }: Failure, t: Translate): string {
  const known = texts[error_type ?? ''] ?? texts[code];
  return known ? t(known) : message.replace(/^source_document: /, '');
}
