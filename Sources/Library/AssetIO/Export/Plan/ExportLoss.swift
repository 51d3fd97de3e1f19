/// Lines of `ExportReport.leftOut` that callers compare.
package enum ExportLoss {
    /// An export of a part leaves out the ledger of a recording.
    package static let dropCounts = "the drop counts: they are for the whole recording"
}
