import { useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useSubmissionKeys } from '../../submission-keys.ts';
import { shareOf } from '../../upload.ts';
import { documentFields, fileFields, type Options } from './options.ts';
import { useSeries } from './use-series.ts';

/** A file and its options at the time when the file is sent. */
export interface FileSubmission {
  file: File;
  from: string;
  target: string;
  options: Options;
}

/**
 * Sends a file in one of two ways: as a document, which keeps its layout, or as a text file, each page of which becomes
 * a job.
 */
export function useFileSubmission() {
  const keys = useSubmissionKeys();
  const series = useSeries();
  const [document, setDocument] = useState<{ job?: TenantDocumentJob; error?: unknown; isBusy?: true }>({});
  const [progress, setProgress] = useState<number>();
  const identityOf = (
    { file: { name, size, lastModified }, ...how }: FileSubmission,
    keepsLayout: boolean,
  ) => ({
    name,
    size,
    lastModified,
    keepsLayout,
    ...how,
  });

  return {
    series,
    document,
    isBusy: series.state === 'running' || document.isBusy === true,
    /** The part of the file that has been sent, from 0 to 1; undefined if no file is being sent. */
    progress,
    /** @returns whether the document was queued */
    async sendDocument(submission: FileSubmission): Promise<boolean> {
      const { file, from, target, options } = submission;
      const identity = identityOf(submission, true);
      series.clear();
      setDocument({ isBusy: true });
      setProgress(0);
      try {
        const request = { source_lang: from, target_lang: target, ...documentFields(options) };
        const sending = client.documents.translate(file, request, {
          idempotencyKey: keys.keyOf(identity),
          onUploadProgress: shareOf(setProgress),
        });
        const { job } = await keys.settle(identity, sending);
        setDocument({ job });
        return true;
      } catch (error) {
        setDocument({ error });
        return false;
      } finally {
        setProgress(undefined);
      }
    },
    /** @returns whether all pages were translated */
    sendText(submission: FileSubmission): Promise<boolean> {
      const { file, from, target, options } = submission;
      const identity = identityOf(submission, false);
      const request = { source_lang: from, target_lang: target, ...fileFields(options) };
      setDocument({});
      setProgress(0);
      return series.start({
        key: keys.keyOf(identity),
        first: 1,
        async send(idempotencyKey) {
          const onUploadProgress = shareOf(setProgress);
          try {
            const sending = client.translations.createFromFile(file, request, {
              idempotencyKey,
              onUploadProgress,
            });
            return await keys.settle(identity, sending);
          } finally {
            setProgress(undefined);
          }
        },
      });
    },
  };
}
