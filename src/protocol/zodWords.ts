import { config } from 'zod/mini';
import english from 'zod/v4/locales/en.js';

// zod/mini says only "Invalid input" until it is given words. These are read in logs, in the collector's answers and in events.
config(english());
