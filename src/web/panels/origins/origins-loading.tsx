/** The placeholder of the table. */
export const ORIGINS_LOADING = (
  <p className="origins-words quiet" role="status">
    Loading where the numbers come from…
  </p>
);
