/** The media types of the files that can be translated as documents, by their extensions. */
export const documentTypes: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.json': 'application/json',
  '.arb': 'application/json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.po': 'text/x-gettext-translation',
  '.pot': 'text/x-gettext-translation',
  '.properties': 'text/x-java-properties',
  '.srt': 'application/x-subrip',
  '.vtt': 'text/vtt',
};
