import MediaTypes

/// The names that Core Video, Core Media and AVFoundation share for the codes of ITU-T H.273.
enum ColorNames {
    /// Names with their codes. If a code has several names, or if a name has several codes, the first entry is used.
    private static let primaryNames: [(UInt8, String)] = [
        (1, "ITU_R_709_2"), (5, "EBU_3213"), (6, "SMPTE_C"), (7, "SMPTE_C"), (9, "ITU_R_2020"), (11, "DCI_P3"),
        (12, "P3_D65"), (22, "P22"),
    ]
    private static let transferNames: [(UInt8, String)] = [
        (1, "ITU_R_709_2"), (6, "ITU_R_709_2"), (7, "SMPTE_240M_1995"), (8, "Linear"), (13, "IEC_sRGB"),
        (14, "ITU_R_2020"), (15, "ITU_R_2020"), (16, "SMPTE_ST_2084_PQ"), (17, "SMPTE_ST_428_1"),
        (18, "ITU_R_2100_HLG"),
    ]
    private static let matrixNames: [(UInt8, String)] = [
        (1, "ITU_R_709_2"), (6, "ITU_R_601_4"), (5, "ITU_R_601_4"), (7, "SMPTE_240M_1995"), (9, "ITU_R_2020"),
    ]

    static let primaries = codes(primaryNames)
    static let transfers = codes(transferNames)
    static let matrices = codes(matrixNames)

    /// Returns nil for a code without a name, and for 2, “unspecified”.
    static func primaries(_ code: UInt8) -> String? { primaryNames.first { $0.0 == code }?.1 }
    static func transfer(_ code: UInt8) -> String? { transferNames.first { $0.0 == code }?.1 }
    static func matrix(_ code: UInt8) -> String? { matrixNames.first { $0.0 == code }?.1 }

    private static func codes(_ names: [(UInt8, String)]) -> [String: UInt8] {
        Dictionary(names.map { ($0.1, $0.0) }, uniquingKeysWith: { first, _ in first })
    }
}
