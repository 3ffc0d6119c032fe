import { errorWithinAnswer } from './attempt-error.ts';
import type { Download, OpenDownload } from './downloads.ts';
