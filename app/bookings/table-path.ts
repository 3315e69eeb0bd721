/** Path of the guests' form for tables. The schemas of `booking.ts` are too large for pages that only link to the form. */
export const TABLE_PATH = '/table'
