/** As `entry.cjs`, for the keeper. */
module.exports = import("./keeper-worker.js").then((worker) => worker.default);
